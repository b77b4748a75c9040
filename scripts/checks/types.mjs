import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { sourceFiles } from "../shared/source-files.mjs";
import { runTool } from "./reading/run-tool.mjs";

/**
 * Checks every tsconfig that includes files, and that every TypeScript file is in one of them.
 * @param {string} root
 */
export async function check(root) {
  const files = sourceFiles(root);
  const configs = files.filter(
    (path) => /(^|\/)tsconfig[^/]*\.json$/.test(path) && includesFiles(join(root, path)),
  );
  /** @type {string[]} */
  const problems = [];
  /** @type {Set<string>} */
  const checked = new Set();
  const waiting = [...configs];
  const worker = async () => {
    for (let config = waiting.shift(); config !== undefined; config = waiting.shift()) {
      const { code, output } = await runTool(root, "tsc", [
        "--noEmit",
        "--listFiles",
        "-p",
        config,
      ]);
      const lines = output.split("\n");
      for (const line of lines) {
        checked.add(relative(root, line));
      }
      const errors = lines.filter((line) => line !== "" && !line.startsWith("/"));
      // A workspace whose first file is not written yet.
      const isEmpty = errors.every((line) => line.includes("TS18003"));
      if (code !== 0 && !(errors.length > 0 && isEmpty)) {
        problems.push(config, ...errors);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
  for (const file of files.filter((path) => /\.tsx?$/.test(path) && !checked.has(path))) {
    problems.push(`${file}: no tsconfig includes it`);
  }
  const count = files.filter((path) => checked.has(path)).length;
  return { name: "types", problems, summary: `${configs.length} tsconfigs, ${count} files` };
}

/** @param {string} path */
function includesFiles(path) {
  return JSON.parse(readFileSync(path, "utf8")).include !== undefined;
}
