import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TurnId } from "@gadget/api";
import { z } from "zod";
import type { FileContent } from "../files.ts";

/** One state of one file. `kept`: its bytes are in the store; too large ones are not. */
const FileState = z.object({ hash: z.string(), mode: z.int(), kept: z.boolean() });
export type FileState = z.infer<typeof FileState>;

const Change = z.object({
  path: z.string(),
  /** Null: it was not there. */
  before: FileState.nullable(),
  after: FileState.nullable(),
});
export type Change = z.infer<typeof Change>;

/** What a turn did to the files of its workspace. */
const ChangeRecord = z.object({
  workspace: z.string(),
  coverage: z.enum(["whole", "edits"]),
  undone: z.boolean(),
  files: z.array(Change),
});
export type ChangeRecord = z.infer<typeof ChangeRecord>;

/** Larger files are named in the record, but can't be taken back. */
export const keptBytes = 10 * 1024 * 1024;
const keptTurnBytes = 200 * 1024 * 1024;
const keptDays = 30;

export function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Keeps for each turn which files it changed, with their bytes before and after. */
export class ChangeStore {
  readonly #folder: string;
  readonly #kept = new Map<TurnId, { hashes: Set<string>; bytes: number }>();

  constructor(dataDir: string) {
    this.#folder = join(dataDir, "changes");
  }

  async keep(turnId: TurnId, content: FileContent | null): Promise<FileState | null> {
    if (content === null) {
      return null;
    }
    const { bytes, mode } = content;
    const hash = hashOf(bytes);
    const turn = this.#kept.get(turnId) ?? { hashes: new Set(), bytes: 0 };
    if (turn.hashes.has(hash)) {
      return { hash, mode, kept: true };
    }
    if (bytes.length > keptBytes || turn.bytes + bytes.length > keptTurnBytes) {
      return { hash, mode, kept: false };
    }
    turn.bytes += bytes.length;
    this.#kept.set(turnId, turn);
    await this.#write(join(this.#folder, turnId), hash, bytes);
    turn.hashes.add(hash);
    return { hash, mode, kept: true };
  }

  async content(turnId: TurnId, state: FileState): Promise<Buffer> {
    return readFile(join(this.#folder, turnId, state.hash));
  }

  async write(turnId: TurnId, record: ChangeRecord): Promise<void> {
    await this.#write(join(this.#folder, turnId), "record.json", JSON.stringify(record));
  }

  async read(turnId: TurnId): Promise<ChangeRecord | undefined> {
    const path = join(this.#folder, turnId, "record.json");
    const text = await readFile(path, "utf8").catch(() => undefined);
    return text === undefined ? undefined : ChangeRecord.parse(JSON.parse(text));
  }

  forget(turnId: TurnId): void {
    this.#kept.delete(turnId);
  }

  /** Removes what nobody will take back any more. */
  async prune(now: number): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => undefined);
      const old = now - keptDays * 24 * 3_600_000;
      if (found !== undefined && found.mtimeMs < old) {
        await rm(path, { recursive: true });
      }
    }
  }

  async #write(folder: string, name: string, content: Buffer | string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    await writeFile(`${path}.new`, content, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
}
