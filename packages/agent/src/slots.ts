/** A limited number of places; who finds none waits, for a while and no longer than the signal. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  take(signal: AbortSignal, waitMs: number): Promise<"taken" | "aborted" | "none_free"> {
    if (signal.aborted) {
      return Promise.resolve("aborted");
    }
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve("taken");
    }
    return new Promise((resolve) => {
      const settle = (how: "taken" | "aborted" | "none_free") => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#waiting.delete(onFree);
        resolve(how);
      };
      const onFree = () => settle("taken");
      const onAbort = () => settle("aborted");
      const timer = setTimeout(() => settle("none_free"), waitMs);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(onFree);
    });
  }

  release(): void {
    const [next] = this.#waiting;
    if (next) {
      next();
    } else {
      this.#free += 1;
    }
  }
}
