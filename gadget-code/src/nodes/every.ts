import type { Logger } from "pino";

/** Runs a job again and again, never twice at once. Returns the function that ends it. */
export function every(
  periodMs: number,
  firstAfterMs: number,
  job: () => Promise<void>,
  log: Logger,
): () => void {
  let ended = false;
  let timer: NodeJS.Timeout;
  const run = async (): Promise<void> => {
    try {
      await job();
    } catch (error) {
      if (!ended) {
        log.error({ err: error }, "the sweep failed; it runs again soon");
      }
    }
    if (!ended) {
      timer = setTimeout(() => void run(), periodMs);
    }
  };
  timer = setTimeout(() => void run(), firstAfterMs);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
