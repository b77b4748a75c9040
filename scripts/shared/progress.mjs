const firstLineAfterMs = 2000;

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1000) {
    return `${Math.round(ms)} ms`;
  }
  if (ms < 60_000) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Waits for work and says what is going on once that takes longer than two seconds: in place on
 * a terminal, a line now and then elsewhere.
 * @template T
 * @param {string} doing e.g. "Installing packages"
 * @param {() => Promise<T>} work
 * @param {{ out?: NodeJS.WriteStream, everyMs?: number }} [options]
 * @returns {Promise<T>}
 */
export async function withProgress(doing, work, options = {}) {
  const out = options.out ?? process.stderr;
  const startedAt = performance.now();
  const elapsed = () => duration(performance.now() - startedAt);
  const everyMs = options.everyMs ?? (out.isTTY ? 1000 : 15_000);
  let shown = false;
  const show = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (out.isTTY) {
      out.write(`\r\x1b[K${doing}... ${seconds} s`);
    } else {
      out.write(shown ? `${doing}... ${seconds} s\n` : `${doing}...\n`);
    }
    shown = true;
  };
  /** @type {NodeJS.Timeout | undefined} */
  let repeat;
  const first = setTimeout(() => {
    show();
    repeat = setInterval(show, everyMs);
  }, firstLineAfterMs);
  try {
    const result = await work();
    if (shown) {
      out.write(`${out.isTTY ? "\r\x1b[K" : ""}${doing}: took ${elapsed()}\n`);
    }
    return result;
  } catch (error) {
    if (shown && out.isTTY) {
      out.write("\r\x1b[K");
    }
    throw error;
  } finally {
    clearTimeout(first);
    clearInterval(repeat);
  }
}
