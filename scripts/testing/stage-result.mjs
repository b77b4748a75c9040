/**
 * @typedef {object} Failure
 * @property {string} title the test's or check's full name
 * @property {string} [file]
 * @property {string} detail
 *
 * @typedef {object} StageResult
 * @property {number} passed
 * @property {number} skipped
 * @property {Failure[]} failures each counts as one
 */

/** @param {readonly StageResult[]} results */
export function lastLine(results) {
  const sum = (/** @type {(result: StageResult) => number} */ of) =>
    results.reduce((total, result) => total + of(result), 0);
  const skipped = sum((result) => result.skipped);
  const line = `${sum((result) => result.passed)} passed, ${sum((result) => result.failures.length)} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}

/**
 * A stage that broke instead of giving a result is a failure.
 * @param {string} title
 * @param {string} detail
 * @returns {StageResult}
 */
export function brokenStage(title, detail) {
  return { passed: 0, skipped: 0, failures: [{ title, detail }] };
}

/** @param {Failure} failure */
export function failureText({ title, file, detail }) {
  const lines = detail
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`);
  return `FAILED ${title}\n${file === undefined ? "" : `    ${file}\n`}${lines.join("\n")}\n`;
}
