import { duration } from "../shared/progress.mjs";

const names = [
  "format",
  "lint",
  "types",
  "layers",
  "file-size",
  "names",
  "dead-code",
  "docs",
  "abort-audit",
  "abort-rules",
  "bundle-budget",
  "wording",
  "compose",
  "operations",
];

/**
 * What every module in `scripts/checks` gives.
 * @typedef {{ name: string, problems: string[], summary: string }} CheckResult
 */

/**
 * @param {string} root
 * @param {string[]} filter
 * @param {(line: string) => void} log
 * @returns {Promise<import("./stage-result.mjs").StageResult>}
 */
export async function runChecks(root, filter, log) {
  /** @type {import("./stage-result.mjs").StageResult} */
  const result = { passed: 0, skipped: 0, failures: [] };
  for (const name of names) {
    if (filter.length > 0 && !filter.some((part) => name.includes(part))) {
      continue;
    }
    const startedAt = performance.now();
    const { problems, summary } = await runCheck(name, root);
    if (problems.length === 0) {
      result.passed += 1;
    } else {
      result.failures.push({ title: `check: ${name}`, detail: problems.join("\n") });
    }
    const verdict = problems.length === 0 ? "ok" : "FAILED";
    log(`  ${name}: ${verdict}, ${summary} (${duration(performance.now() - startedAt)})`);
  }
  return result;
}

/**
 * @param {string} name
 * @param {string} root
 * @returns {Promise<CheckResult>}
 */
async function runCheck(name, root) {
  try {
    const { check } = await import(`../checks/${name}.mjs`);
    return await check(root);
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { name, problems: [`The check itself broke: ${detail}`], summary: "broken" };
  }
}
