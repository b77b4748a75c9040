import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const budget = 300_000;
const frontend = "gadget-code/frontend";
const sessionView = "src/pages/ChatSessionView.tsx";

/**
 * @typedef {object} Chunk
 * @property {string} file
 * @property {boolean} [isEntry]
 * @property {string[]} [imports]
 * @property {string[]} [css]
 */

/**
 * The session page may load 300 kB, compressed, before it shows: the entry, the page's own chunk
 * and everything that these import statically.
 * @param {string} root
 */
export async function check(root) {
  const name = "bundle-budget";
  if (!existsSync(join(root, frontend, "index.html"))) {
    return { name, problems: [], summary: "no page there yet" };
  }
  const manifestPath = join(root, frontend, "dist/.vite/manifest.json");
  if (!existsSync(manifestPath)) {
    const problem = `${frontend}/dist/.vite/manifest.json is missing: the page is not built, or its vite.config.ts lacks build.manifest`;
    return { name, problems: [problem], summary: "no manifest" };
  }
  /** @type {Record<string, Chunk>} */
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
  /** @type {Set<string>} */
  const keys = new Set();
  for (const [key, chunk] of Object.entries(manifest)) {
    if (chunk.isEntry === true || key === sessionView) {
      addStatic(manifest, key, keys);
    }
  }
  const files = new Set([...keys].flatMap((key) => filesOf(manifest[key])));
  let total = 0;
  const sizes = [...files].map((file) => {
    const size = gzipSync(readFileSync(join(root, frontend, "dist", file))).length;
    total += size;
    return `${file}: ${kilobytes(size)}`;
  });
  const summary = `${kilobytes(total)} of ${kilobytes(budget)} in ${files.size} files`;
  /** @type {string[]} */
  const problems = [];
  if (total === 0) {
    problems.push("It saw no file of the page.");
  }
  if (total > budget) {
    problems.push(`The session page loads ${summary}:`, ...sizes);
  }
  return { name, problems, summary };
}

/**
 * @param {Record<string, Chunk>} manifest
 * @param {string} key
 * @param {Set<string>} keys
 */
function addStatic(manifest, key, keys) {
  if (keys.has(key)) {
    return;
  }
  keys.add(key);
  for (const imported of manifest[key]?.imports ?? []) {
    addStatic(manifest, imported, keys);
  }
}

/** @param {Chunk | undefined} chunk */
function filesOf(chunk) {
  return chunk === undefined ? [] : [chunk.file, ...(chunk.css ?? [])];
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
