import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { withProgress } from "../shared/progress.mjs";
import { runCommand } from "../shared/run-command.mjs";

function hasRedis() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => existsSync(join(folder, "redis-server")));
}

/**
 * For the tests of several nodes: installs Redis where that can be done without a question. Where
 * it can't, those tests say that they were skipped.
 */
export async function ensureRedis() {
  if (hasRedis()) {
    return;
  }
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    return;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await withProgress("Installing Debian's redis-server", async () => {
    await runCommand("apt-get", ["update"], { env });
    await runCommand("apt-get", ["install", "-y", "--no-install-recommends", "redis-server"], {
      env,
    });
  });
}
