import { setTimeout as sleep } from "node:timers/promises";

/** Polls until the condition holds; throws when it still does not after `deadlineMs`. */
export async function waitUntil(
  what: string,
  condition: () => boolean,
  deadlineMs = 5000,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!condition()) {
    if (performance.now() > end) {
      throw new Error(`Not within ${deadlineMs} ms: ${what}`);
    }
    await sleep(5);
  }
}
