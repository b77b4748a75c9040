/**
 * @typedef {object} Bundle
 * @property {string} entry
 * @property {string} file
 * @property {boolean} [executable] starts with a shebang and may be run by name
 *
 * @typedef {object} Part
 * @property {string} folder the workspace whose `build` script makes it
 * @property {Bundle[]} bundles
 * @property {{ from: string, match: RegExp }[]} [assets] files that are copied beside the bundle
 * @property {string[]} [inputs] what the output depends on besides `src` and package.json
 */

/** What is built. Paths start at the repository's root. */
export const parts = /** @satisfies {Record<string, Part>} */ ({
  server: {
    folder: "gadget-code",
    bundles: [
      { entry: "gadget-code/src/main.ts", file: "gadget-code/dist/server.mjs" },
      {
        entry: "packages/embedded-mongo/src/worker.ts",
        file: "gadget-code/dist/embedded-mongo-worker.mjs",
      },
    ],
  },
  drone: {
    folder: "gadget-drone",
    bundles: [
      {
        entry: "gadget-drone/src/main.ts",
        file: "gadget-drone/dist/gadget-drone.mjs",
        executable: true,
      },
    ],
    assets: [
      { from: "gadget-drone/src/process", match: /\.(pl|sh)$/ },
      { from: "gadget-drone/src/tools/search", match: /\.cjs$/ },
    ],
  },
  cli: {
    folder: "packages/cli",
    bundles: [
      { entry: "packages/cli/src/main.ts", file: "packages/cli/dist/gadget.mjs", executable: true },
    ],
  },
  "embedded-mongo": {
    folder: "packages/embedded-mongo",
    bundles: [
      {
        entry: "packages/embedded-mongo/src/main.ts",
        file: "packages/embedded-mongo/dist/embedded-mongo.mjs",
      },
      { entry: "packages/embedded-mongo/src/db.ts", file: "packages/embedded-mongo/dist/db.mjs" },
      {
        entry: "packages/embedded-mongo/src/worker.ts",
        file: "packages/embedded-mongo/dist/embedded-mongo-worker.mjs",
      },
    ],
  },
  "demo-model": {
    folder: "packages/demo-model",
    bundles: [
      { entry: "packages/demo-model/src/main.ts", file: "packages/demo-model/dist/demo-model.mjs" },
    ],
  },
  frontend: {
    folder: "gadget-code/frontend",
    bundles: [
      { entry: "gadget-code/frontend/index.html", file: "gadget-code/frontend/dist/index.html" },
    ],
    inputs: ["gadget-code/frontend/vite.config.ts", "gadget-code/frontend/public"],
  },
});

/** @typedef {keyof typeof parts} PartName */

/** What `npm run NAME` starts: the part to build and the file to run. */
export const commands = /** @satisfies {Record<string, { part: PartName, file: string }>} */ ({
  server: { part: "server", file: "gadget-code/dist/server.mjs" },
  drone: { part: "drone", file: "gadget-drone/dist/gadget-drone.mjs" },
  cli: { part: "cli", file: "packages/cli/dist/gadget.mjs" },
  "embedded-mongo": {
    part: "embedded-mongo",
    file: "packages/embedded-mongo/dist/embedded-mongo.mjs",
  },
  db: { part: "embedded-mongo", file: "packages/embedded-mongo/dist/db.mjs" },
  "demo-model": { part: "demo-model", file: "packages/demo-model/dist/demo-model.mjs" },
});

/**
 * @param {string} name
 * @returns {name is PartName}
 */
export function isPartName(name) {
  return Object.hasOwn(parts, name);
}

/**
 * @param {string} name
 * @returns {name is keyof typeof commands}
 */
export function isCommandName(name) {
  return Object.hasOwn(commands, name);
}

/**
 * @param {PartName} name
 * @returns {Part}
 */
export function partOf(name) {
  return parts[name];
}
