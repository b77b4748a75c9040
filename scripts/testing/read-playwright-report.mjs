import { relative } from "node:path";

/**
 * Playwright's JSON report, as far as it is read here.
 * @typedef {object} PlaywrightReport
 * @property {{ rootDir: string }} [config]
 * @property {PlaywrightSuite[]} suites
 * @property {{ message?: string, stack?: string }[]} [errors]
 *
 * @typedef {object} PlaywrightSuite
 * @property {string} title
 * @property {PlaywrightSuite[]} [suites]
 * @property {PlaywrightSpec[]} [specs]
 *
 * @typedef {object} PlaywrightSpec
 * @property {string} title
 * @property {string} file
 * @property {number} line
 * @property {{ status: string, results: { errors?: { message?: string, stack?: string }[] }[] }[]} tests
 */

/**
 * @param {PlaywrightReport} report
 * @param {{ root: string, exitCode: number, output: string }} run
 * @returns {import("./stage-result.mjs").StageResult}
 */
export function readPlaywrightReport(report, { root, exitCode, output }) {
  /** @type {import("./stage-result.mjs").StageResult} */
  const result = { passed: 0, skipped: 0, failures: [] };
  const folder = relative(root, report.config?.rootDir ?? root);
  for (const { path, spec } of report.suites.flatMap((suite) => specsOf(suite, []))) {
    for (const test of spec.tests) {
      if (test.status === "expected") {
        result.passed += 1;
      } else if (test.status === "skipped") {
        result.skipped += 1;
      } else {
        const errors = test.results.flatMap((attempt) => attempt.errors ?? []);
        result.failures.push({
          title: [...path, spec.title].join(" > "),
          file: `${folder}/${spec.file}:${spec.line}`,
          detail: errors.map(errorText).join("\n") || test.status,
        });
      }
    }
  }
  for (const error of report.errors ?? []) {
    result.failures.push({ title: "the browser tests", detail: errorText(error) });
  }
  if (exitCode !== 0 && result.failures.length === 0) {
    const title = `playwright ended with exit code ${exitCode}, though every test passed`;
    result.failures.push({ title, detail: output });
  }
  return result;
}

/**
 * @param {PlaywrightSuite} suite
 * @param {string[]} path
 * @returns {{ path: string[], spec: PlaywrightSpec }[]}
 */
function specsOf(suite, path) {
  const here = [...path, suite.title];
  return [
    ...(suite.specs ?? []).map((spec) => ({ path: here, spec })),
    ...(suite.suites ?? []).flatMap((inner) => specsOf(inner, here)),
  ];
}

/** @param {{ message?: string, stack?: string }} error */
function errorText(error) {
  // oxlint-disable-next-line no-control-regex -- Playwright colours its messages
  return (error.stack ?? error.message ?? "").replace(/\x1b\[[0-9;]*m/g, "");
}
