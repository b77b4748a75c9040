import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "../shared/problem.mjs";
import { withProgress } from "../shared/progress.mjs";
import { runCommand } from "../shared/run-command.mjs";
import { inputsHash } from "./inputs-hash.mjs";
import { partOf } from "./parts.mjs";
import { withLock } from "./with-lock.mjs";

/** @typedef {import("./parts.mjs").PartName} PartName */

/**
 * Builds those of the parts whose output is older than their content. The hash of what an output
 * was made of lies beside it, so a call with nothing to do only reads and hashes the sources.
 * @param {string} root
 * @param {readonly PartName[]} names
 * @param {{ runBuilds?: typeof runTurbo }} [options]
 * @returns {Promise<PartName[]>} what was built
 */
export async function ensureBuilt(root, names, options = {}) {
  if ((await staleOf(root, names)).length === 0) {
    return [];
  }
  return withLock(join(root, ".cache/build.lock"), async () => {
    const stale = await staleOf(root, names);
    if (stale.length === 0) {
      return [];
    }
    // Without its stamp an output counts as stale, should this build be interrupted. The stamp is
    // of the content before the build, so that an edit during the build is not missed.
    const stamps = stale.map((name) => ({
      path: stampOf(root, name),
      hash: inputsHash(root, name),
    }));
    for (const { path } of stamps) {
      await rm(path, { force: true });
    }
    await withProgress(`Building ${stale.join(", ")}`, () =>
      (options.runBuilds ?? runTurbo)(root, stale),
    );
    for (const { path, hash } of stamps) {
      await mkdir(join(path, ".."), { recursive: true });
      await writeFile(path, hash);
    }
    return stale;
  });
}

/**
 * @param {string} root
 * @param {PartName} name
 */
function stampOf(root, name) {
  return join(root, partOf(name).folder, "dist/.gadget-inputs");
}

/**
 * @param {string} root
 * @param {readonly PartName[]} names
 */
async function staleOf(root, names) {
  /** @type {PartName[]} */
  const stale = [];
  for (const name of names) {
    const built = partOf(name).bundles.every(({ file }) => existsSync(join(root, file)));
    const stamp = await readFile(stampOf(root, name), "utf8").catch(() => undefined);
    if (!built || stamp !== inputsHash(root, name)) {
      stale.push(name);
    }
  }
  return stale;
}

/**
 * @param {string} root
 * @param {readonly PartName[]} names
 */
async function runTurbo(root, names) {
  const filters = await Promise.all(
    names.map(async (name) => {
      const manifest = await readFile(join(root, partOf(name).folder, "package.json"), "utf8");
      return `--filter=${JSON.parse(manifest).name}`;
    }),
  );
  const args = ["run", "build", "--output-logs=new-only", ...filters];
  const { code, output } = await runCommand(join(root, "node_modules/.bin/turbo"), args, {
    cwd: root,
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: "1",
      TURBO_NO_UPDATE_NOTIFIER: "1",
      DO_NOT_TRACK: "1",
    },
  });
  if (code === 0) {
    return;
  }
  throw new Problem(`${output.trimEnd()}\nThe build failed (${names.join(", ")}): see above.`);
}
