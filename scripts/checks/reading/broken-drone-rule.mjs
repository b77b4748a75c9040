import { dirname } from "node:path/posix";

/** Inside the drone, from the inside out: what each folder may import beside itself. */
export const mayImport = /** @type {Record<string, string[]>} */ ({
  process: [],
  link: [],
  history: [],
  workspace: [],
  "workspace/match": ["workspace"],
  "workspace/git": ["workspace", "process"],
  "workspace/open": ["workspace", "workspace/git"],
  "workspace/changes": ["workspace", "workspace/git"],
  outputs: ["workspace", "process"],
  allowances: ["workspace"],
  tools: ["workspace", "workspace/match", "workspace/changes", "process", "outputs"],
  "tools/search": ["workspace", "workspace/match", "process", "tools"],
  "tools/web": ["tools"],
  services: [
    "workspace",
    "workspace/open",
    "workspace/changes",
    "process",
    "outputs",
    "allowances",
    "history",
    "link",
    "tools",
  ],
  requests: [
    "workspace",
    "workspace/open",
    "workspace/match",
    "workspace/git",
    "workspace/changes",
    "process",
    "outputs",
    "link",
    "services",
  ],
});

/** What knows nothing of a drone: any folder may use it. */
const common = ["breath", "clock", "plain-text", "problem", "wire-call-id"];

/** @param {string} path */
const inDrone = (path) => /^gadget-drone\/src\/(.+)$/.exec(path)?.[1];

/**
 * The rule of the drone's folders that an import breaks. Its own files, at its root, put all of them
 * together.
 * @param {string} importer a file, from the root
 * @param {string} imported a file, or the name of a library
 * @returns {string | undefined}
 */
export function brokenDroneRule(importer, imported) {
  const [from, to] = [inDrone(importer), inDrone(imported)];
  if (from === undefined || to === undefined || !from.includes("/")) {
    return undefined;
  }
  const [own, other] = [dirname(from), dirname(to)];
  const allowed = mayImport[own];
  if (allowed === undefined) {
    return `in the drone, ${own} has no rule of what it may import`;
  }
  if (other === own || allowed.includes(other)) {
    return undefined;
  }
  if (other === ".") {
    return common.includes(to.replace(/\.ts$/, ""))
      ? undefined
      : `in the drone, ${own} must not import ${to}`;
  }
  return `in the drone, ${own} must not import ${other}`;
}
