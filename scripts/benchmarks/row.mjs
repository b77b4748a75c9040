/**
 * One measured number.
 * @typedef {object} Row
 * @property {string} name
 * @property {number} value
 * @property {string} unit `ms`, `MB`, `events/s`, ...; a rate (`x/s`) is better when it is higher,
 *   everything else when it is lower
 * @property {number} [baseline] what it is measured against, in the same unit
 * @property {number} [ratio] value / baseline, when the benchmark has a better one
 * @property {number} [target] the value that it should reach
 * @property {number} [noise] the share by which it varies from run to run; 0.1 if not said
 */

/**
 * What a benchmark exported, checked.
 * @param {unknown} rows
 * @param {string} file
 * @returns {Row[]}
 */
export function parseRows(rows, file) {
  const isRow = (/** @type {unknown} */ row) => {
    if (typeof row !== "object" || row === null) return false;
    const { name, value, unit } = /** @type {Record<string, unknown>} */ (row);
    return typeof name === "string" && typeof unit === "string" && Number.isFinite(value);
  };
  if (Array.isArray(rows) && rows.length > 0 && rows.every(isRow)) return rows;
  throw new Error(`${file}: bench() gave no rows of { name, value, unit }`);
}

/** @param {Row} row */
export const higherIsBetter = ({ unit }) => unit.endsWith("/s");

/** @param {Row} row */
export function missesTarget(row) {
  if (row.target === undefined) return false;
  return higherIsBetter(row) ? row.value < row.target : row.value > row.target;
}
