import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { Problem } from "../shared/problem.mjs";
import { withProgress } from "../shared/progress.mjs";
import { runCommand } from "../shared/run-command.mjs";
import { sourceFiles } from "../shared/source-files.mjs";
import { parseRows } from "./row.mjs";
import { rowsTable } from "./table.mjs";

/**
 * Runs every `bench/*.bench.ts`, one after the other and each in its own process, so that they
 * don't disturb each other.
 * @param {string} root
 * @param {string[]} filter
 * @returns {Promise<number>} the exit code
 */
export async function runBenchmarks(root, filter) {
  const files = sourceFiles(root)
    .filter((path) => /\/bench\/[^/]+\.bench\.ts$/.test(path))
    .filter((path) => filter.length === 0 || filter.some((part) => path.includes(part)));
  if (files.length === 0) {
    throw new Problem("No benchmark has that in its name.");
  }
  const [load = 0] = loadavg();
  /** @type {(import("./row.mjs").Row & { file: string })[]} */
  const rows = [];
  /** @type {string[]} */
  const broken = [];
  for (const file of files) {
    try {
      const measured = await withProgress(`Running ${file}`, () => runBenchmark(root, file));
      process.stdout.write(`\n${file}\n${rowsTable(measured)}\n`);
      rows.push(...measured.map((row) => ({ ...row, file })));
    } catch (error) {
      broken.push(file);
      process.stderr.write(
        `\n${file}\n${error instanceof Error ? error.message : String(error)}\n`,
      );
    }
  }
  const at = new Date().toISOString();
  const machine = {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: process.platform,
    node: process.version,
    /** Of the minute before: what else the machine had to do. */
    load: Math.round(load * 10) / 10,
  };
  const report = { at, machine, rows };
  const path = join("bench/results", `${at.replaceAll(/[:.]/g, "-")}.json`);
  await mkdir(join(root, "bench/results"), { recursive: true });
  await writeFile(join(root, path), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`\n${rows.length} numbers are in ${path}\n`);
  return broken.length === 0 ? 0 : 1;
}

/**
 * @param {string} root
 * @param {string} file
 */
async function runBenchmark(root, file) {
  const resultPath = join(tmpdir(), `gadget-bench-${process.pid}.json`);
  // The rows go through a file: a benchmark may write what it likes to its output.
  const code = `
    import { writeFileSync } from "node:fs";
    const { bench } = await import(${JSON.stringify(join(root, file))});
    writeFileSync(${JSON.stringify(resultPath)}, JSON.stringify(await bench()));
    process.exit(0);
  `;
  const args = ["--import", "tsx", "--expose-gc", "--input-type=module", "-e", code];
  try {
    const { code: exitCode, output } = await runCommand(process.execPath, args, { cwd: root });
    const text = await readFile(resultPath, "utf8").catch(() => undefined);
    if (exitCode !== 0 || text === undefined) {
      throw new Error(output || `exit code ${exitCode}`);
    }
    return parseRows(JSON.parse(text), file);
  } finally {
    await rm(resultPath, { force: true });
  }
}
