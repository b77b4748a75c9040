import { requireNodeVersion } from "./shared/node-version.mjs";

requireNodeVersion();
const { runMain } = await import("./shared/problem.mjs");
const { root } = await import("./shared/root.mjs");
const { runTests } = await import("./testing/run-tests.mjs");

await runMain(() => runTests(root, process.argv.slice(2)));
