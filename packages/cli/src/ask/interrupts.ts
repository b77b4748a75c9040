/**
 * Ctrl-C. A command that has something to clean up takes it over; otherwise, and when that command
 * says so, the person leaves: everything that waits on `signal` ends.
 */
export class Interrupts {
  readonly #left = new AbortController();
  #handler: (() => void) | undefined;

  get signal(): AbortSignal {
    return this.#left.signal;
  }

  press(): void {
    if (this.#handler === undefined) {
      this.leave();
    } else {
      this.#handler();
    }
  }

  leave(): void {
    this.#left.abort();
  }

  /** Returns the function that gives Ctrl-C back. */
  handle(handler: () => void): () => void {
    this.#handler = handler;
    return () => {
      if (this.#handler === handler) {
        this.#handler = undefined;
      }
    };
  }
}
