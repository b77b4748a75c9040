import { join } from "node:path";
import { requireNodeVersion } from "./shared/node-version.mjs";

requireNodeVersion();
const { spawn } = await import("node:child_process");
const { ensureBuilt } = await import("./build/ensure-built.mjs");
const { ensureInstalled } = await import("./build/ensure-installed.mjs");
const { parts } = await import("./build/parts.mjs");
const { runMain } = await import("./shared/problem.mjs");
const { root } = await import("./shared/root.mjs");
const { testEnvironment } = await import("./testing/test-environment.mjs");

// `npm run torture -- [--seed N] [name]`: the long suite, of which `npm test` runs a sample.
await runMain(async () => {
  const args = process.argv.slice(2);
  const at = args.indexOf("--seed");
  const seed = at < 0 ? String(Date.now() % 1_000_000) : String(args.splice(at, 2)[1]);
  await ensureInstalled(root);
  await ensureBuilt(root, /** @type {(keyof typeof parts)[]} */ (Object.keys(parts)));
  process.stdout.write(`Seed ${seed}: replay with npm run torture -- --seed ${seed}\n`);
  const filter = args.length === 0 ? ["proof/test"] : args;
  const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--project=integration"];
  vitest.push("--no-file-parallelism", "--reporter=verbose", ...filter);
  const env = {
    ...testEnvironment(process.env),
    TORTURE: "long",
    TORTURE_SEED: seed,
  };
  const child = spawn(process.execPath, vitest, { cwd: root, env, stdio: "inherit" });
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
});
