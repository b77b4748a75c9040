import { abortMessages, RefusalError, type TurnId } from "@gadget/api";
import type { CommandContext } from "../command-context.ts";
import { persist } from "./persist.ts";

/** As long as a turn may outlive a server that can't be reached. */
const patienceMs = 600_000;

interface Listener {
  onCancel: () => void;
  note: (line: string) => void;
}

/**
 * Ctrl-C while `run` holds a turn: the first one aborts the turn, the second one forces the stop,
 * the third one leaves. A press before the turn exists is kept until it does.
 */
export class CancelKey {
  readonly #context: CommandContext;
  readonly #turnId: TurnId;
  readonly release: () => void;
  #listener: Listener;
  #presses = 0;
  #armed = false;

  constructor(context: CommandContext, turnId: TurnId) {
    this.#context = context;
    this.#turnId = turnId;
    this.#listener = { onCancel: () => {}, note: context.note };
    this.release = context.terminal.interrupts.handle(() => this.#press());
  }

  get pressed(): boolean {
    return this.#presses > 0;
  }

  /** What the next press does. */
  get hint(): string {
    return ["Ctrl-C aborts", "Ctrl-C forces"][this.#presses] ?? "Ctrl-C leaves";
  }

  listen(listener: Listener): void {
    this.#listener = listener;
    if (this.pressed) {
      listener.onCancel();
    }
  }

  /** The turn exists: it can be aborted now. */
  arm(): void {
    this.#armed = true;
    if (this.pressed) {
      void this.#cancel(this.#presses > 1);
    }
  }

  #press(): void {
    const { note, onCancel } = this.#listener;
    this.#presses += 1;
    if (this.#presses === 1) {
      onCancel();
      note("Aborting... Ctrl-C again forces the stop.");
    } else if (this.#presses === 2) {
      note("Forcing the stop... Ctrl-C again leaves.");
    } else {
      note("Left. The turn may still be stopping.");
      this.#context.terminal.interrupts.leave();
      return;
    }
    if (this.#armed) {
      void this.#cancel(this.#presses > 1);
    }
  }

  /** How it ends is told by the turn's events; only what they can't tell is said here. */
  async #cancel(force: boolean): Promise<void> {
    const { client, signal } = this.#context;
    const params = { id: this.#turnId };
    const query = force ? { force: "true" as const } : {};
    try {
      const { message } = await persist(
        () => client.request("cancelTurn", { params, query, signal }),
        { patienceMs, signal },
      );
      if (message === abortMessages.unreachable || message === abortMessages.storing) {
        this.#listener.note(`${message}.`);
      }
    } catch (error) {
      if (signal.aborted || (error instanceof RefusalError && error.status === 409)) {
        return;
      }
      this.#listener.note(error instanceof Error ? error.message : String(error));
    }
  }
}
