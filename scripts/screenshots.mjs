import { join } from "node:path";
import { requireNodeVersion } from "./node-version.mjs";

requireNodeVersion();
const { ensureInstalled } = await import("./install.mjs");
const { runMain } = await import("./problem.mjs");
const { runCommand } = await import("./process-group.mjs");
const { withProgress } = await import("./progress.mjs");
const { root } = await import("./root.mjs");
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
