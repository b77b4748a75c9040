/**
 * One measured number.
 * @typedef {object} Measured
 * @property {string} name
 * @property {number} value
 * @property {string} unit `ms`, `MB`, `events/s`, ...; a rate (`x/s`) is better when it is higher,
 *   everything else when it is lower
 * @property {number} [baseline] what it is measured against, in the same unit
 * @property {number} [ratio] value / baseline, when the benchmark has a better one
 * @property {number} [target] the value that it should reach
 * @property {number} [noise] the share by which it varies from run to run; told by the samples,
 *   and 0.1 at least, if not said
 */

/**
 * The same as a benchmark gives it.
 * @typedef {Measured & { samples?: number[] }} Given
 */

/**
 * The same as it is kept.
 * @typedef {Measured & { spread?: Spread }} Row
 */

/** @typedef {{ count: number, p50: number, p95: number, p99: number, max: number }} Spread */

export const usualNoise = 0.1;

/**
 * What a benchmark exported, checked, with its samples made into a spread.
 * @param {unknown} rows
 * @param {string} file
 * @returns {Row[]}
 */
export function parseRows(rows, file) {
  const isRow = (/** @type {unknown} */ row) => {
    if (typeof row !== "object" || row === null) {
      return false;
    }
    const { name, value, unit, samples = [] } = /** @type {Record<string, unknown>} */ (row);
    const isNumbers = Array.isArray(samples) && samples.every((sample) => Number.isFinite(sample));
    const isNamed = typeof name === "string" && typeof unit === "string";
    return isNamed && Number.isFinite(value) && isNumbers;
  };
  if (Array.isArray(rows) && rows.length > 0 && rows.every(isRow)) {
    return rows.map(withSpread);
  }
  throw new Error(`${file}: bench() gave no rows of { name, value, unit }`);
}

/**
 * @param {Given} given
 * @returns {Row}
 */
function withSpread({ samples = [], ...row }) {
  if (samples.length < 2) {
    return row;
  }
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  const [p50, p95, p99, max] = [at(0.5), at(0.95), at(0.99), at(1)].map(rounded);
  const spread = { count: samples.length, p50, p95, p99, max };
  // Twice the notch of a box plot: how far two medians of the same thing lie apart by chance.
  const notch = (1.57 * (at(0.75) - at(0.25))) / Math.sqrt(samples.length);
  const own = at(0.5) > 0 ? rounded((2 * notch) / at(0.5)) : 0;
  const noise = row.noise ?? Math.max(usualNoise, own);
  return { ...row, noise, spread: /** @type {Spread} */ (spread) };
}

/** @param {number} value */
const rounded = (value) => Math.round(value * 100) / 100;

/** @param {Measured} row */
export const higherIsBetter = ({ unit }) => unit.endsWith("/s");

/** @param {Measured} row */
export function missesTarget(row) {
  if (row.target === undefined) {
    return false;
  }
  return higherIsBetter(row) ? row.value < row.target : row.value > row.target;
}
