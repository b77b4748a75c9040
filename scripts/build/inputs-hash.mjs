import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { partOf } from "./parts.mjs";

/** Every part depends on these: what is installed, how it is built, how it is compiled. */
const shared = [
  "package-lock.json",
  "scripts/build/bundle-part.mjs",
  "scripts/build/parts.mjs",
  "tsconfig.base.json",
  "tsconfig.node.json",
];

const notAnInput = /\.test\.tsx?$/;

/**
 * A hash over the content of all that a part is made of.
 * @param {string} root
 * @param {import("./parts.mjs").PartName} name
 */
export function inputsHash(root, name) {
  const part = partOf(name);
  const hash = createHash("sha256");
  const paths = [...shared, ...part.bundles.map((bundle) => bundle.entry), ...(part.inputs ?? [])];
  for (const folder of foldersOf(root, part.folder)) {
    paths.push(`${folder}/package.json`, `${folder}/tsconfig.json`, `${folder}/src`);
  }
  for (const path of new Set(paths.toSorted().flatMap((path) => filesUnder(root, path)))) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * The workspace and the workspaces of ours that it depends on, directly or not.
 * @param {string} root
 * @param {string} folder
 * @param {Set<string>} [seen]
 */
function foldersOf(root, folder, seen = new Set()) {
  if (seen.has(folder) || !existsSync(join(root, folder, "package.json"))) {
    return seen;
  }
  seen.add(folder);
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
    if (name.startsWith("@gadget/")) {
      foldersOf(root, `packages/${name.slice(8)}`, seen);
    }
  }
  return seen;
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
function filesUnder(root, path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined) {
    return [];
  }
  if (!stats.isDirectory()) {
    return [path];
  }
  return readdirSync(join(root, path), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.isDirectory()) {
        return filesUnder(root, `${path}/${entry.name}`);
      }
      return notAnInput.test(entry.name) ? [] : [`${path}/${entry.name}`];
    });
}
