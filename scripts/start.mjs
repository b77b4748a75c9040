import { requireNodeVersion } from "./shared/node-version.mjs";

requireNodeVersion();
const { runMain } = await import("./shared/problem.mjs");
const { readSecrets } = await import("./launcher/secrets.mjs");
const { start } = await import("./launcher/start.mjs");

const [first, ...rest] = process.argv.slice(2);
const isHandedOver = first === "--secrets";
const env = isHandedOver ? { ...process.env, ...readSecrets() } : process.env;
await runMain(() => start(isHandedOver ? rest : process.argv.slice(2), env));
