import { setTimeout as delay } from "node:timers/promises";
import { RefusalError } from "@gadget/api";

const pauseMs = 300;

/** Tries again while the server can't be reached, as during its restart, for at most so long. */
export async function persist<Result>(
  attempt: () => Promise<Result>,
  { patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      const passing = error instanceof RefusalError && error.code === "unavailable";
      if (!passing || performance.now() - startedAt > patienceMs) {
        throw error;
      }
    }
    await delay(pauseMs, undefined, { signal });
  }
}
