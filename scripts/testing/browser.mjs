import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Problem } from "../shared/problem.mjs";
import { withProgress } from "../shared/progress.mjs";
import { runCommand } from "../shared/run-command.mjs";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const macBrowsers = ["Google Chrome", "Chromium"].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

/**
 * The browser for the tests: the one that CHROMIUM_PATH names, a system's, or Playwright's own.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string | undefined>}
 */
export async function findBrowser(env = process.env) {
  if (env.CHROMIUM_PATH) {
    return env.CHROMIUM_PATH;
  }
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const found = [...candidates, ...macBrowsers].find((path) => existsSync(path));
  if (found !== undefined) {
    return found;
  }
  const { chromium } = await import("@playwright/test");
  const own = chromium.executablePath();
  return own !== "" && existsSync(own) ? own : undefined;
}

/**
 * Finds a browser, or installs one.
 * @param {string} root
 * @returns {Promise<string>}
 */
export async function ensureBrowser(root) {
  const named = process.env.CHROMIUM_PATH;
  if (named && !existsSync(named)) {
    throw new Problem(`CHROMIUM_PATH names ${named}, which does not exist: correct or unset it.`);
  }
  let browser = await findBrowser();
  if (browser !== undefined) {
    return browser;
  }
  for (const install of [installPlaywrights, installDebians]) {
    await install(root);
    browser = await findBrowser();
    if (browser !== undefined) {
      return browser;
    }
  }
  throw new Problem(
    "The browser tests need Chromium or Chrome and none could be installed: install one, or name one in CHROMIUM_PATH.",
  );
}

/** @param {string} root */
async function installPlaywrights(root) {
  const cli = join(root, "node_modules/@playwright/test/cli.js");
  await withProgress("Downloading Playwright's browser", () =>
    runCommand(process.execPath, [cli, "install", "chromium"], { cwd: root }),
  );
}

async function installDebians() {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    return;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await withProgress("Installing Debian's chromium", async () => {
    await runCommand("apt-get", ["update"], { env });
    await runCommand("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], { env });
  });
}
