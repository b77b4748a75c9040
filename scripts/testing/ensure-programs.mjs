import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { withProgress } from "../shared/progress.mjs";
import { runCommand } from "../shared/run-command.mjs";

/** What some tests are about: several nodes, a search. The program, and Debian's package of it. */
const programs = { "redis-server": "redis-server", rg: "ripgrep" };

/** @param {string} name */
function isThere(name) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => existsSync(join(folder, name)));
}

/**
 * Installs them where that can be done without a question. Where it can't, the tests that need
 * them say that they were skipped.
 */
export async function ensurePrograms() {
  const missing = Object.entries(programs).flatMap(([name, debian]) =>
    isThere(name) ? [] : [debian],
  );
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    return;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await withProgress(`Installing Debian's ${missing.join(" and ")}`, async () => {
    await runCommand("apt-get", ["update"], { env });
    await runCommand("apt-get", ["install", "-y", "--no-install-recommends", ...missing], { env });
  });
}
