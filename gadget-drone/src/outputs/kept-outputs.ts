import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "@gadget/api";
import { SessionOutputs } from "./session-outputs.ts";

const keptDays = 7;

/** Keeps for each session what its commands printed where the model was shown only a part. */
export class KeptOutputs {
  readonly #folder: string;
  readonly #sessions = new Map<SessionId, SessionOutputs>();

  constructor(dataDir: string) {
    this.#folder = join(dataDir, "outputs");
  }

  ofSession(sessionId: SessionId): SessionOutputs {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) {
      return known;
    }
    const outputs = new SessionOutputs(join(this.#folder, sessionId));
    this.#sessions.set(sessionId, outputs);
    return outputs;
  }

  /** The session is deleted, or leaves this drone. */
  async removeSession(sessionId: SessionId): Promise<void> {
    const outputs = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    await outputs?.close();
    await rm(join(this.#folder, sessionId), { recursive: true, force: true });
  }

  /** Removes those of sessions that have kept nothing for long; some may have been deleted since. */
  async prune(now: number): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => undefined);
      const old = now - keptDays * 24 * 3_600_000;
      if (found !== undefined && found.mtimeMs < old) {
        await rm(path, { recursive: true, force: true });
      }
    }
  }
}
