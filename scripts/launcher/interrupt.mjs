import { newSignals } from "../echoed-signals.mjs";

const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Calls `first` at the first signal that asks this process to end, and `second` at a later one.
 * @param {{ first: () => void, second: () => void }} handlers
 * @returns {() => void} stops listening
 */
export function onInterrupt({ first, second }) {
  const isNew = newSignals();
  let count = 0;
  const onSignal = () => {
    if (!isNew()) return;
    count += 1;
    if (count === 1) first();
    else second();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
