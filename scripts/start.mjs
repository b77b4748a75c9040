import { requireNodeVersion } from "./node-version.mjs";

requireNodeVersion();
const { runMain } = await import("./problem.mjs");
const { start } = await import("./launcher/start.mjs");

await runMain(() => start(process.argv.slice(2), process.env));
