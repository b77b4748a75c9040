import { setImmediate } from "node:timers/promises";

const heldMs = 10;

/**
 * Long work on the main thread asks between two of its steps, each of them short, whether others
 * should have the thread for a moment (rule A54). Ends the work when the signal has fired.
 */
export class Breath {
  readonly #signal: AbortSignal;
  #since = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get due(): boolean {
    return performance.now() - this.#since > heldMs;
  }

  async take(): Promise<void> {
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#since = performance.now();
  }
}
