import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "../shared/problem.mjs";
import { withProgress } from "../shared/progress.mjs";
import { runCommand } from "../shared/run-command.mjs";
import { withLock } from "./with-lock.mjs";

/**
 * Installs the packages of the lockfile when they are missing or stale. What was installed is
 * remembered in node_modules/.gadget-install, so a later call reads two files and asks no network.
 * @param {string} root
 * @param {{ npmCi?: typeof npmCi }} [options]
 */
export async function ensureInstalled(root, options = {}) {
  if (await isInstalled(root)) {
    return;
  }
  await withProgress("Installing packages", () =>
    withLock(join(root, ".cache/install.lock"), async () => {
      if (await isInstalled(root)) {
        return;
      }
      if (!(await matchesLockfile(root))) {
        await (options.npmCi ?? npmCi)(root);
      }
      await writeFile(markerOf(root), await fingerprint(root));
    }),
  );
}

/** @param {string} root */
const markerOf = (root) => join(root, "node_modules/.gadget-install");

/** @param {string} root */
async function isInstalled(root) {
  const marker = await readFile(markerOf(root), "utf8").catch(() => "");
  return marker !== "" && marker === (await fingerprint(root));
}

/** @param {string} root */
async function fingerprint(root) {
  const lockfile = await readFile(join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lockfile).digest("hex");
  return `${hash} ${process.platform}-${process.arch}`;
}

/** @typedef {{ version?: string, optional?: boolean, link?: boolean }} LockedPackage */

/**
 * Whether somebody installed the lockfile's packages by hand: npm's own record of node_modules
 * names every package of the lockfile in its version.
 * @param {string} root
 */
async function matchesLockfile(root) {
  const installed = await readPackages(join(root, "node_modules/.package-lock.json"));
  if (installed === undefined) {
    return false;
  }
  const wanted = (await readPackages(join(root, "package-lock.json"))) ?? {};
  return Object.entries(wanted).every(([path, locked]) => {
    if (!path.includes("node_modules/") || locked.optional === true) {
      return true;
    }
    const found = installed[path];
    return found !== undefined && found.version === locked.version && existsSync(join(root, path));
  });
}

/**
 * @param {string} path
 * @returns {Promise<Record<string, LockedPackage> | undefined>}
 */
async function readPackages(path) {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text).packages;
}

/** @param {string} root */
async function npmCi(root) {
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm?.endsWith("js") ? [process.execPath, npm] : ["npm"];
  const args = [...first, "ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  const { code, output } = await runCommand(command, args, { cwd: root }).catch(() => {
    throw new Problem("npm was not found: install Node from https://nodejs.org, which brings npm.");
  });
  if (code === 0) {
    return;
  }
  const reason =
    /npm error (?!code|errno|A complete log)(.+)/.exec(output)?.[1] ?? `exit code ${code}`;
  throw new Problem(
    `The packages could not be installed (${reason}): check the network connection, or run "npm ci" in ${root} to see all of its output.`,
  );
}
