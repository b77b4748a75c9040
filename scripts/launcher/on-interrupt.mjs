import { newSignals } from "../shared/echoed-signals.mjs";

const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

const lookForParentEveryMs = 500;

/**
 * Calls `first` at the first signal that asks this process to end, and `second` at a later one.
 * Under npm, the death of npm asks the same: nobody could press Ctrl-C any more.
 * @param {{ first: () => void, second: () => void }} handlers
 * @returns {() => void} stops listening
 */
export function onInterrupt({ first, second }) {
  const isNew = newSignals();
  let count = 0;
  const onSignal = () => {
    if (!isNew()) {
      return;
    }
    count += 1;
    if (count === 1) {
      first();
    } else {
      second();
    }
  };
  const parent = process.ppid;
  const parentWatch = setInterval(() => {
    if (process.ppid === parent) {
      return;
    }
    clearInterval(parentWatch);
    if (count === 0) {
      onSignal();
    }
  }, lookForParentEveryMs);
  if (process.env.npm_lifecycle_event === undefined) {
    clearInterval(parentWatch);
  }
  for (const signal of signals) {
    process.on(signal, onSignal);
  }
  return () => {
    clearInterval(parentWatch);
    for (const signal of signals) {
      process.off(signal, onSignal);
    }
  };
}
