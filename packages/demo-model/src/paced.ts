import type { Connection } from "./connection.ts";

/**
 * The items, each at its time: the n-th is due n / tokensPerSecond after the start, however
 * coarse the timers are. Ends, and asks `items` for nothing more, when the connection closes.
 */
export async function* paced<T>(
  items: Iterable<T>,
  connection: Connection,
  tokensPerSecond: number,
): AsyncGenerator<T> {
  const start = performance.now();
  let count = 0;
  for (const item of items) {
    await connection.sleep(start + (count * 1000) / tokensPerSecond - performance.now());
    if (!connection.isOpen()) {
      return;
    }
    count += 1;
    yield item;
  }
}
