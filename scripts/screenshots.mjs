import { join } from "node:path";
import { requireNodeVersion } from "./shared/node-version.mjs";

requireNodeVersion();
const { ensureInstalled } = await import("./build/ensure-installed.mjs");
const { runMain } = await import("./shared/problem.mjs");
const { runCommand } = await import("./shared/run-command.mjs");
const { withProgress } = await import("./shared/progress.mjs");
const { root } = await import("./shared/root.mjs");
const { ensureBrowser } = await import("./testing/browser.mjs");

await runMain(async () => {
  await ensureInstalled(root);
  const env = { ...process.env, CHROMIUM_PATH: await ensureBrowser(root) };
  const file = join(root, "gadget-code/e2e/screenshots.ts");
  const { code, output } = await withProgress("Taking screenshots", () =>
    runCommand(process.execPath, ["--import", "tsx", file], { cwd: root, env }),
  );
  if (code !== 0) {
    process.stderr.write(output);
  }
  return code;
});
