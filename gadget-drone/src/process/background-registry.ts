import {
  CommandId,
  newId,
  RefusalError,
  type SessionId,
  type Stopped,
  type TurnId,
  type BackgroundCommand as WireCommand,
} from "@gadget/api";
import { type BackgroundCommand, startBackgroundCommand } from "./background-command.ts";
import type { CommandOptions } from "./command.ts";
import type { KeptOutput } from "./kept-output.ts";
import { supervisorCapability } from "./supervisor-capability.ts";

interface Entry extends WireCommand {
  running: BackgroundCommand;
  kept: KeptOutput;
}

/** A turn's way to the background commands of its session. */
export interface BackgroundCommands {
  start(command: {
    command: string;
    kept: KeptOutput;
    options: CommandOptions;
  }): Promise<{ id: CommandId; command: BackgroundCommand }>;
  ofSession(): WireCommand[];
  find(id: string): Entry | undefined;
}

/** An ended command's output can be read this long. */
const keptEnded = 20;

/** Commands that outlive their turns. They belong to their sessions and end with the drone. */
export class BackgroundRegistry {
  readonly #entries = new Map<CommandId, Entry>();
  readonly #instant: () => string;

  constructor(instant: () => string) {
    this.#instant = instant;
  }

  forTurn(sessionId: SessionId, turnId: TurnId): BackgroundCommands {
    return {
      start: async ({ command, kept, options }) => {
        const onOutput = (text: string) => kept.add(text);
        const capability = await supervisorCapability();
        const running = startBackgroundCommand({ ...options, onOutput }, capability);
        const id = newId(CommandId);
        const startedAt = this.#instant();
        this.#entries.set(id, { id, sessionId, turnId, command, startedAt, running, kept });
        void running.done.then(() => this.#dropOld());
        return { id, command: running };
      },
      ofSession: () => this.list(sessionId),
      find: (id) =>
        [...this.#entries.values()].find((e) => e.id === id && e.sessionId === sessionId),
    };
  }

  /** Those of one session, or of all. */
  list(sessionId: SessionId | undefined): WireCommand[] {
    return this.#running(sessionId).map(({ running: _, kept: __, ...command }) => command);
  }

  /** Resolves when nothing of it is left; one that has ended by itself is stopped already. */
  async stop(sessionId: SessionId, id: CommandId): Promise<Stopped> {
    const entry = this.#entries.get(id);
    if (entry?.sessionId !== sessionId) {
      throw new RefusalError("not_found", "This session has no such background command any more.");
    }
    return stopAll(entry.running.result() === null ? [entry] : []);
  }

  stopSession(sessionId: SessionId): Promise<Stopped> {
    return stopAll(this.#running(sessionId));
  }

  /** After an abort of the turn that started them: they are on their way out. */
  async endOfTurn(turnId: TurnId): Promise<void> {
    const own = [...this.#entries.values()].filter((entry) => entry.turnId === turnId);
    await Promise.all(own.map(({ running }) => running.done));
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ running }) => running.stop()));
  }

  #running(sessionId: SessionId | undefined): Entry[] {
    return [...this.#entries.values()].filter(
      (entry) =>
        (sessionId === undefined || entry.sessionId === sessionId) &&
        entry.running.result() === null,
    );
  }

  #dropOld(): void {
    const ended = [...this.#entries.values()].filter(({ running }) => running.result() !== null);
    for (const { id } of ended.slice(0, -keptEnded)) {
      this.#entries.delete(id);
    }
  }
}

async function stopAll(entries: readonly Entry[]): Promise<Stopped> {
  const begun = performance.now();
  const results = await Promise.all(entries.map(({ running }) => running.stop()));
  const sum = (of: "processesEnded" | "left") =>
    results.reduce((total, result) => total + result[of], 0);
  const afterMs = Math.round(performance.now() - begun);
  const unproven = results.some(({ proven }) => !proven);
  const seen = { afterMs, processes: sum("processesEnded"), left: sum("left") };
  return { ...seen, ...(unproven && { unproven }) };
}
