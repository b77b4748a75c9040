import { readdirSync } from "node:fs";
import { join } from "node:path";

const skippedFolders = new Set([
  "node_modules",
  "dist",
  "coverage",
  "test-results",
  "playwright-report",
  "results",
]);
const keptDotFolders = new Set([".ci", ".github"]);

/**
 * The repository's files, without what is installed, built or left behind by a tool.
 * @param {string} root
 * @returns {string[]} paths from the root, sorted
 */
export function sourceFiles(root) {
  return filesIn(root, "").toSorted();
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) {
      return [path];
    }
    if (!entry.isDirectory() || skippedFolders.has(entry.name)) {
      return [];
    }
    if (entry.name.startsWith(".") && !keptDotFolders.has(entry.name)) {
      return [];
    }
    return filesIn(root, path);
  });
}

const inTestFolder = /(^|\/)(test|e2e|bench)\//;
const testName = /\.(test|e2e|bench)\.tsx?$/;

/** @param {string} path */
export function isTest(path) {
  return inTestFolder.test(path) || testName.test(path);
}
