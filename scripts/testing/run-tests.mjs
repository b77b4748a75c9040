import { availableParallelism } from "node:os";
import { ensureBuilt } from "../build/ensure-built.mjs";
import { ensureInstalled } from "../build/ensure-installed.mjs";
import { parts } from "../build/parts.mjs";
import { Problem } from "../shared/problem.mjs";
import { duration } from "../shared/progress.mjs";
import { ensurePrograms } from "./ensure-programs.mjs";
import { runChecks } from "./run-checks.mjs";
import { runPlaywright } from "./run-playwright.mjs";
import { runVitest } from "./run-vitest.mjs";
import { brokenStage, failureText, lastLine } from "./stage-result.mjs";

/** @typedef {import("./stage-result.mjs").StageResult} StageResult */

const stageNames = /** @type {const} */ (["checks", "unit", "integration", "browser"]);
const stillRunningEveryMs = 30_000;

/** @param {string} text */
const print = (text) => process.stdout.write(`${text}\n`);

/**
 * `npm test`: installs, builds, then runs the stages side by side.
 * @param {string} root
 * @param {string[]} args a stage and a filter, or nothing for all of it
 * @returns {Promise<number>} the exit code
 */
export async function runTests(root, args) {
  const [only, ...filter] = args.filter((arg) => arg !== "--");
  const wanted = stageNames.filter((name) => only === undefined || name === only);
  if (wanted.length === 0) {
    throw new Problem(`There is no stage "${only}": run one of ${stageNames.join(", ")}, or all.`);
  }
  const startedAt = performance.now();
  await ensureInstalled(root);
  try {
    await ensureBuilt(root, /** @type {(keyof typeof parts)[]} */ (Object.keys(parts)));
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error;
    }
    print(`${error.message}\n${lastLine([brokenStage("build", error.message)])}`);
    return 1;
  }
  if (wanted.includes("integration")) {
    await ensurePrograms();
  }
  print(`Packages and build are ready (${duration(performance.now() - startedAt)}).`);

  const stages = {
    checks: () => runChecks(root, filter, print),
    unit: () => runVitest(root, { integration: false, filter }),
    integration: () => runVitest(root, { integration: true, filter }),
    browser: () => runPlaywright(root, filter),
  };
  const results = await runLanes(
    wanted.map((name) => ({ name, run: stages[name] })),
    availableParallelism() > 3 ? 3 : 2,
  );
  for (const failure of results.flatMap((result) => result.failures)) {
    print(failureText(failure));
  }
  print(`Everything took ${duration(performance.now() - startedAt)}.`);
  print(lastLine(results));
  const passed = results.some((result) => result.passed > 0);
  return passed && results.every((result) => result.failures.length === 0) ? 0 : 1;
}

/**
 * @param {{ name: string, run: () => Promise<StageResult> }[]} stages
 * @param {number} lanes how many stages run at a time
 */
async function runLanes(stages, lanes) {
  const waiting = [...stages];
  /** @type {Set<string>} */
  const running = new Set();
  /** @type {StageResult[]} */
  const results = [];
  const stillRunning = setInterval(
    () => print(`(running: ${[...running].join(", ")})`),
    stillRunningEveryMs,
  );
  const lane = async () => {
    for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
      running.add(stage.name);
      results.push(await runStage(stage));
      running.delete(stage.name);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  clearInterval(stillRunning);
  return results;
}

/** @param {{ name: string, run: () => Promise<StageResult> }} stage */
async function runStage({ name, run }) {
  const startedAt = performance.now();
  const result = await run().catch((error) => brokenStage(`stage ${name}`, String(error?.stack)));
  print(`${name}: ${lastLine([result])} (${duration(performance.now() - startedAt)})`);
  return result;
}
