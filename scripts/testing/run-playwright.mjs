import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "../shared/problem.mjs";
import { runCommand } from "../shared/run-command.mjs";
import { sourceFiles } from "../shared/source-files.mjs";
import { ensureBrowser } from "./browser.mjs";
import { readPlaywrightReport } from "./read-playwright-report.mjs";
import { brokenStage } from "./stage-result.mjs";
import { testEnvironment } from "./test-environment.mjs";

/**
 * @param {string} root
 * @param {string[]} filter
 * @returns {Promise<import("./stage-result.mjs").StageResult>}
 */
export async function runPlaywright(root, filter) {
  const files = sourceFiles(root)
    .filter((path) => path.endsWith(".e2e.ts"))
    .filter((path) => filter.length === 0 || filter.some((part) => path.includes(part)));
  if (files.length === 0) {
    return { passed: 0, skipped: 0, failures: [] };
  }

  let browser;
  try {
    browser = await ensureBrowser(root);
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error;
    }
    return brokenStage("no browser", error.message);
  }
  const folder = await mkdtemp(join(tmpdir(), "gadget-playwright-"));
  const outputFile = join(folder, "report.json");
  const { code, output } = await runCommand(
    process.execPath,
    [join(root, "node_modules/@playwright/test/cli.js"), "test", "--reporter=json", ...filter],
    {
      cwd: root,
      env: {
        ...testEnvironment(process.env),
        CHROMIUM_PATH: browser,
        PLAYWRIGHT_JSON_OUTPUT_FILE: outputFile,
      },
    },
  );
  const report = await readFile(outputFile, "utf8").catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  if (report === undefined) {
    return brokenStage(`playwright gave no result (exit code ${code})`, output);
  }
  const result = readPlaywrightReport(JSON.parse(report), { root, exitCode: code, output });
  if (result.passed + result.skipped + result.failures.length > 0) {
    return result;
  }
  return brokenStage("playwright ran no test", `There are tests in ${files.join(", ")}.`);
}
