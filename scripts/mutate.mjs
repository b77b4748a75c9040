import { requireNodeVersion } from "./shared/node-version.mjs";

requireNodeVersion();
const { ensureInstalled } = await import("./build/ensure-installed.mjs");
const { runMain } = await import("./shared/problem.mjs");
const { root } = await import("./shared/root.mjs");
const { runMutations } = await import("./mutation/run-mutations.mjs");

await runMain(async () => {
  await ensureInstalled(root);
  return runMutations(root, process.argv.slice(2));
});
