/** Joins what several sources push into one row of events. */
export class EventQueue<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #end: { error?: unknown } | undefined;
  #wake = () => {};

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  close(end: { error?: unknown } = {}): void {
    this.#end ??= end;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const items = this.#items;
      this.#items = [];
      yield* items;
      if (this.#items.length > 0) {
        continue;
      }
      if (this.#end) {
        if ("error" in this.#end) {
          throw this.#end.error;
        }
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
