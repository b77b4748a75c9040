import type { Clock } from "../clock.ts";

/** Waits for the work, but once the signal has fired only this long; then it is left behind. */
export function untilDeadline<T>(
  work: Promise<T>,
  { signal, clock, deadlineMs }: { signal: AbortSignal; clock: Clock; deadlineMs: number },
  leaveBehind: () => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let cancel = () => {};
    const onAbort = () => {
      cancel = clock.after(deadlineMs, () => resolve(leaveBehind()));
    };
    if (signal.aborted) {
      onAbort();
    } else {
      signal.addEventListener("abort", onAbort, { once: true });
    }
    work.then(resolve, reject).finally(() => {
      cancel();
      signal.removeEventListener("abort", onAbort);
    });
  });
}
