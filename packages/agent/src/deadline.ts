interface AbortTimes {
  warningMs: number;
  deadlineMs: number;
  /** The work goes on although its signal fired. */
  onWarning: () => void;
  /** It ended after nobody waited for it any more. */
  onLate: (lateMs: number) => void;
}

type End<T> =
  | { kind: "value"; value: T }
  | { kind: "error"; error: unknown }
  | { kind: "deadline" };

/** Waits for the work for as long as it takes, but after the signal only until the deadline. */
export async function withinDeadline<T>(
  work: Promise<T>,
  signal: AbortSignal,
  times: AbortTimes,
): Promise<End<T>> {
  let warning: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const over = new Promise<End<T>>((resolve) => {
    onAbort = () => {
      warning = setTimeout(times.onWarning, times.warningMs);
      deadline = setTimeout(() => resolve({ kind: "deadline" }), times.deadlineMs);
    };
  });
  if (signal.aborted) {
    onAbort();
  } else {
    signal.addEventListener("abort", onAbort, { once: true });
  }
  const ended = work.then(
    (value): End<T> => ({ kind: "value", value }),
    (error: unknown): End<T> => ({ kind: "error", error }),
  );
  const end = await Promise.race([ended, over]);
  clearTimeout(warning);
  clearTimeout(deadline);
  signal.removeEventListener("abort", onAbort);
  if (end.kind === "deadline") {
    const since = performance.now();
    void ended.then(() => times.onLate(Math.round(performance.now() - since)));
  }
  return end;
}
