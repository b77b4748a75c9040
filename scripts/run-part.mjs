import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { requireNodeVersion } from "./shared/node-version.mjs";

requireNodeVersion();
const { ensureBuilt } = await import("./build/ensure-built.mjs");
const { dropEchoedSignals } = await import("./shared/echoed-signals.mjs");
const { ensureInstalled } = await import("./build/ensure-installed.mjs");
const { commands, isCommandName } = await import("./build/parts.mjs");
const { Problem, runMain } = await import("./shared/problem.mjs");
const { root } = await import("./shared/root.mjs");

/** @type {string | undefined} */
let file;
await runMain(async () => {
  const name = process.argv[2] ?? "";
  if (!isCommandName(name)) {
    throw new Problem(`There is no part "${name}" to run.`);
  }
  const command = commands[name];
  await ensureInstalled(root);
  await ensureBuilt(root, [command.part]);
  file = join(root, command.file);
});

// The bundle runs in this very process: its signals, its exit code, its terminal and its working
// folder are the caller's, with nothing in between that could lose or double them.
if (file !== undefined) {
  const args = process.argv.slice(3);
  if (args[0] === "--") {
    args.shift();
  }
  process.argv = [process.execPath, file, ...args];
  process.env.INIT_CWD ??= process.cwd();
  if (process.env.npm_lifecycle_event !== undefined) {
    dropEchoedSignals();
  }
  await import(pathToFileURL(file).href);
}
