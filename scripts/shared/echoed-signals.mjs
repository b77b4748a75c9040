const echoWithinMs = 300;

/**
 * Ctrl-C under `npm run` arrives twice: from the terminal, and passed on by npm. Returns a filter
 * that says whether a signal is new, so that one press is not taken for two.
 * @param {() => number} [now]
 */
export function newSignals(now = () => performance.now()) {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const isNew = now() - last > echoWithinMs;
    if (isNew) {
      last = now();
    }
    return isNew;
  };
}

/** Hides npm's echo of SIGINT and SIGTERM from everything that runs in this process. */
export function dropEchoedSignals() {
  const emit = process.emit.bind(process);
  const isNew = { SIGINT: newSignals(), SIGTERM: newSignals() };
  process.emit = /** @type {typeof process.emit} */ (
    (/** @type {string} */ event, /** @type {unknown[]} */ ...args) => {
      if ((event === "SIGINT" || event === "SIGTERM") && !isNew[event]()) {
        return true;
      }
      return Reflect.apply(emit, process, [event, ...args]);
    }
  );
}
