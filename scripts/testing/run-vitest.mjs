import { mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../shared/run-command.mjs";
import { sourceFiles } from "../shared/source-files.mjs";
import { readVitestReport } from "./read-vitest-report.mjs";
import { brokenStage } from "./stage-result.mjs";
import { testEnvironment } from "./test-environment.mjs";

const isIntegration = /^(packages\/[^/]+|gadget-[^/]+|proof)\/test\//;

/**
 * @param {string} root
 * @param {{ integration: boolean, filter: string[] }} which
 * @returns {Promise<import("./stage-result.mjs").StageResult>}
 */
export async function runVitest(root, { integration, filter }) {
  const files = sourceFiles(root)
    .filter((path) => /\.test\.tsx?$/.test(path) && !path.endsWith(".live.test.ts"))
    .filter((path) => isIntegration.test(path) === integration)
    .filter((path) => filter.length === 0 || filter.some((part) => path.includes(part)));
  if (files.length === 0) {
    return { passed: 0, skipped: 0, failures: [] };
  }

  const folder = await mkdtemp(join(tmpdir(), "gadget-vitest-"));
  const outputFile = join(folder, "report.json");
  const args = ["run", "--project", integration ? "integration" : "!integration"];
  // Tests with real processes wait more than they compute: two at a time also on a small machine.
  if (integration) {
    args.push(`--maxWorkers=${Math.max(2, availableParallelism() - 1)}`);
  }
  args.push("--reporter=json", `--outputFile=${outputFile}`, ...filter);
  const { code, output } = await runCommand(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), ...args],
    { cwd: root, env: testEnvironment(process.env) },
  );
  const report = await readFile(outputFile, "utf8").catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  if (report === undefined) {
    return brokenStage(`vitest gave no result (exit code ${code})`, output);
  }
  return readVitestReport(JSON.parse(report), {
    root,
    expectedFiles: files,
    exitCode: code,
    output,
  });
}
