import { requireNodeVersion } from "./node-version.mjs";

requireNodeVersion();
const { ensureInstalled } = await import("./install.mjs");
const { runMain } = await import("./problem.mjs");
const { root } = await import("./root.mjs");
const { runMutations } = await import("./mutation/run-mutations.mjs");

await runMain(async () => {
  await ensureInstalled(root);
  return runMutations(root, process.argv.slice(2));
});
