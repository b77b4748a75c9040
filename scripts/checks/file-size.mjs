import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isTest, sourceFiles } from "../shared/source-files.mjs";

const limits = [
  { ending: /\.tsx$/, lines: 250 },
  { ending: /\.(ts|mjs|cjs)$/, lines: 400 },
];

/** @param {string} root */
export async function check(root) {
  /** @type {string[]} */
  const problems = [];
  /** @type {number[]} */
  const sizes = [];
  for (const path of sourceFiles(root).filter((path) => !isTest(path))) {
    const limit = limits.find(({ ending }) => ending.test(path))?.lines;
    if (limit === undefined) {
      continue;
    }
    const lines = readFileSync(join(root, path), "utf8").trimEnd().split("\n").length;
    sizes.push(lines);
    if (lines > limit) {
      problems.push(`${path}: ${lines} lines, at most ${limit}: split it by noun`);
    }
  }
  if (sizes.length === 0) {
    problems.push("It saw no source file.");
  }
  const median = sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0;
  return {
    name: "file-size",
    problems,
    summary: `${sizes.length} files, median ${median} lines, longest ${Math.max(0, ...sizes)}`,
  };
}
