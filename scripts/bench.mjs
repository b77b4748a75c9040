import { requireNodeVersion } from "./shared/node-version.mjs";

requireNodeVersion();
const { ensureBuilt } = await import("./build/ensure-built.mjs");
const { ensureInstalled } = await import("./build/ensure-installed.mjs");
const { parts } = await import("./build/parts.mjs");
const { runMain } = await import("./shared/problem.mjs");
const { root } = await import("./shared/root.mjs");
const { compareFiles } = await import("./benchmarks/compare.mjs");
const { writePage } = await import("./benchmarks/page.mjs");
const { ensureBrowser } = await import("./testing/browser.mjs");
const { runBenchmarks } = await import("./benchmarks/run-benchmarks.mjs");

await runMain(async () => {
  const args = process.argv.slice(2);
  if (args[0] === "--compare") {
    return compareFiles(args[1], args[2]);
  }
  if (args[0] === "--page") {
    return writePage(root, args[1]);
  }
  await ensureInstalled(root);
  await ensureBuilt(root, /** @type {(keyof typeof parts)[]} */ (Object.keys(parts)));
  // Those of the page need one; it is named for them.
  process.env.CHROMIUM_PATH = await ensureBrowser(root);
  return runBenchmarks(root, args);
});
