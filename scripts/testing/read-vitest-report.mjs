import { relative } from "node:path";

/**
 * vitest's JSON report, as far as it is read here.
 * @typedef {object} VitestReport
 * @property {VitestFile[]} testResults
 *
 * @typedef {object} VitestFile
 * @property {string} name the test file
 * @property {string} status
 * @property {string} [message]
 * @property {{ fullName: string, status: string, failureMessages?: string[] | null }[]} assertionResults
 */

/**
 * @param {VitestReport} report
 * @param {{ root: string, expectedFiles: string[], exitCode: number, output: string }} run
 * @returns {import("./stage-result.mjs").StageResult}
 */
export function readVitestReport(report, { root, expectedFiles, exitCode, output }) {
  /** @type {import("./stage-result.mjs").StageResult} */
  const result = { passed: 0, skipped: 0, failures: [] };
  const ran = new Set();
  for (const testFile of report.testResults) {
    const file = relative(root, testFile.name);
    ran.add(file);
    for (const test of testFile.assertionResults) {
      if (test.status === "passed") {
        result.passed += 1;
      } else if (test.status === "failed") {
        const detail = (test.failureMessages ?? []).join("\n");
        result.failures.push({ title: test.fullName, file, detail });
      } else {
        result.skipped += 1;
      }
    }
    const failedTests = testFile.assertionResults.some((test) => test.status === "failed");
    if (testFile.status === "failed" && !failedTests) {
      const detail = testFile.message || "The file could not be run.";
      result.failures.push({ title: "the test file itself", file, detail });
    } else if (testFile.assertionResults.length === 0) {
      result.failures.push({ title: "the test file itself", file, detail: "It has no tests." });
    }
  }
  for (const file of expectedFiles.filter((file) => !ran.has(file))) {
    result.failures.push({ title: "a test file was not run", file, detail: "No project has it." });
  }
  if (exitCode !== 0 && result.failures.length === 0) {
    const title = `vitest ended with exit code ${exitCode}, though every test passed`;
    result.failures.push({ title, detail: output });
  }
  return result;
}
