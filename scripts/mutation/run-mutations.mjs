import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textTable } from "../benchmarks/table.mjs";
import { Problem } from "../shared/problem.mjs";
import { runCommand } from "../shared/run-command.mjs";
import { breaks } from "./breaks.mjs";

/** A break may make a test wait for what never comes. */
const testMs = 90_000;
const skipped = new Set(["node_modules", "dist", ".git", "results", "test-results"]);

/**
 * Breaks the abort path in a copy of the tree, one break at a time: a test that cites the broken
 * rule must fail, or the rule is not tested.
 * @param {string} root
 * @param {string[]} filter
 * @returns {Promise<number>} the exit code
 */
export async function runMutations(root, filter) {
  const chosen = breaks.filter(
    ({ name, rule }) =>
      filter.length === 0 || filter.some((part) => `${rule} ${name}`.includes(part)),
  );
  if (chosen.length === 0) {
    throw new Problem("No break has that in its name.");
  }
  const copy = await copyTree(root);
  try {
    const lines = [];
    for (const one of chosen) {
      const verdict = await tryBreak(copy, one);
      process.stdout.write(`${one.rule}  ${one.name}: ${verdict}\n`);
      lines.push([one.name, one.rule, verdict]);
    }
    process.stdout.write(`\n${textTable([["break", "rule", "verdict"], ...lines])}\n`);
    const missed = lines.filter(([, , verdict]) => verdict !== "caught").length;
    process.stdout.write(`\n${lines.length - missed} caught, ${missed} not\n`);
    return missed === 0 ? 0 : 1;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * @param {string} copy
 * @param {import("./breaks.mjs").Break} one
 */
async function tryBreak(copy, one) {
  const verdict = await verdictOf(copy, one);
  if (verdict !== "caught") {
    return verdict;
  }
  const unbroken = await runTest(copy, one.test, one.rule);
  const isSound = unbroken?.every(({ status }) => status !== "failed") === true;
  return isSound ? verdict : "its test fails without it too";
}

/**
 * @param {string} copy
 * @param {import("./breaks.mjs").Break} one
 */
async function verdictOf(copy, { file, text, broken, rule, test }) {
  const path = join(copy, file);
  const source = await readFile(path, "utf8");
  if (source.split(text).length !== 2) {
    return "its text is not in the source once";
  }
  await writeFile(
    path,
    source.replace(text, () => broken),
  );
  try {
    const report = await runTest(copy, test, rule);
    if (report === undefined) {
      return "the tests could not run";
    }
    const run = report.filter(({ status }) => status === "failed" || status === "passed");
    if (run.length === 0) {
      return "no test cites it";
    }
    return run.some(({ status }) => status === "failed") ? "caught" : "survived";
  } finally {
    await writeFile(path, source);
  }
}

/**
 * Only the tests of a file that cite the rule.
 * @param {string} copy
 * @param {string} test
 * @param {string} rule
 * @returns {Promise<{ fullName: string, status: string }[] | undefined>}
 */
async function runTest(copy, test, rule) {
  const outputFile = join(copy, "mutation-report.json");
  await rm(outputFile, { force: true });
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--reporter=json", `--outputFile=${outputFile}`, test];
  args.push(`--testNamePattern=\\b${rule}\\b`, "--bail=1", `--testTimeout=${testMs}`);
  await runCommand(process.execPath, args, { cwd: copy });
  const report = await readFile(outputFile, "utf8").catch(() => undefined);
  if (report === undefined) {
    return undefined;
  }
  /** @type {{ testResults: { assertionResults: { fullName: string, status: string }[] }[] }} */
  const { testResults } = JSON.parse(report);
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}

/**
 * Workspaces resolve through links in node_modules, so that those are made anew in the copy.
 * @param {string} root
 */
async function copyTree(root) {
  const copy = await mkdtemp(join(tmpdir(), "gadget-mutation-"));
  // Some tests start a drone as another user.
  await chmod(copy, 0o755);
  await cp(root, copy, {
    recursive: true,
    filter: (path) => !skipped.has(path.split("/").at(-1) ?? ""),
  });
  await linkModules(root, copy, "node_modules");
  for (const folder of ["gadget-code", "gadget-code/frontend", "gadget-drone"]) {
    await linkModules(root, copy, join(folder, "node_modules")).catch(() => {});
  }
  return copy;
}

/**
 * @param {string} root
 * @param {string} copy
 * @param {string} folder
 */
async function linkModules(root, copy, folder) {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  await mkdir(join(copy, folder), { recursive: true });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    // Ours are relative links: copied as they are, they point into the copy.
    if (entry.isSymbolicLink()) {
      await symlink(await readlink(join(root, path)), join(copy, path));
    } else if (entry.name === "@gadget") {
      await linkModules(root, copy, path);
    } else if (entry.name !== ".vite" && entry.name !== ".vite-temp") {
      await symlink(join(root, path), join(copy, path));
    }
  }
}
