import { requireNodeVersion } from "./node-version.mjs";

requireNodeVersion();
const { runMain } = await import("./problem.mjs");
const { root } = await import("./root.mjs");
const { runTests } = await import("./testing/run-tests.mjs");

await runMain(() => runTests(root, process.argv.slice(2)));
