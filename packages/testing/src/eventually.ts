import { setTimeout as delay } from "node:timers/promises";

/** Polls until the condition gives something, and fails with its name after a while. */
export async function eventually<T>(
  what: string | (() => string),
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (performance.now() > deadline) {
      throw new Error(`This never happened: ${typeof what === "string" ? what : what()}`);
    }
    await delay(5);
  }
}
