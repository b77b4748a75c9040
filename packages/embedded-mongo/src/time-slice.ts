import { setImmediate as nextTurn } from "node:timers/promises";
import { CommandError } from "./bson/command-error.ts";
import type { Store } from "./storage/store.ts";

const sliceMs = 8;

/** Keeps a long read from blocking the others: it pauses now and then, and can end there. */
export class TimeSlice {
  readonly #store: Store;
  readonly #signal: AbortSignal;
  readonly #deadline: number;
  #sliceEnd = 0;

  constructor(store: Store, signal: AbortSignal, maxTimeMs = 0) {
    this.#store = store;
    this.#signal = signal;
    const now = performance.now();
    this.#deadline = maxTimeMs > 0 ? now + maxTimeMs : Number.POSITIVE_INFINITY;
    this.#sliceEnd = now + sliceMs;
  }

  /** Undefined, or a promise to await before the read goes on. Throws when it must not. */
  pause(): Promise<void> | undefined {
    const now = performance.now();
    if (now < this.#sliceEnd && now < this.#deadline) {
      return undefined;
    }
    if (now >= this.#deadline) {
      throw new CommandError("MaxTimeMSExpired", "operation exceeded time limit");
    }
    return this.#rest();
  }

  async #rest(): Promise<void> {
    await nextTurn();
    if (this.#signal.aborted) {
      throw new CommandError("Interrupted", "operation was interrupted");
    }
    await this.#store.ready();
    this.#sliceEnd = performance.now() + sliceMs;
  }
}
