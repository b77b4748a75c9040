interface AbortLimit {
  signal: AbortSignal;
  deadlineMs: number;
  /** Calls back once after the time; what it gives cancels that. */
  clock?: { after(ms: number, callback: () => void): () => void };
}

/** Waits for the work, but once the signal has fired only this long; then it is left behind. */
export function untilDeadline<T, Left>(
  work: Promise<T>,
  { signal, deadlineMs, clock = timers }: AbortLimit,
  leaveBehind: () => Left,
): Promise<T | Left> {
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

const timers: NonNullable<AbortLimit["clock"]> = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
