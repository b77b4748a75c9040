/**
 * The workspaces and what each may import of the others. Imports point one way: the drone
 * translates between `api` and `ai`, which don't know each other.
 * @type {Record<string, { folder: string, mayImport: string[] }>}
 */
export const packages = {
  api: { folder: "packages/api/src", mayImport: [] },
  ai: { folder: "packages/ai/src", mayImport: [] },
  agent: { folder: "packages/agent/src", mayImport: ["ai"] },
  "embedded-mongo": { folder: "packages/embedded-mongo/src", mayImport: [] },
  "demo-model": { folder: "packages/demo-model/src", mayImport: [] },
  // For tests alone: nothing that runs may import it.
  testing: { folder: "packages/testing/src", mayImport: [] },
  cli: { folder: "packages/cli/src", mayImport: ["api"] },
  frontend: { folder: "gadget-code/frontend/src", mayImport: ["api"] },
  server: { folder: "gadget-code/src", mayImport: ["api", "embedded-mongo"] },
  drone: { folder: "gadget-drone/src", mayImport: ["api", "ai", "agent", "demo-model"] },
};

/** @param {string} path */
export function packageOf(path) {
  return Object.keys(packages).find((name) => path.startsWith(`${packages[name]?.folder}/`));
}
