import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isTest, sourceFiles } from "../shared/source-files.mjs";

const document = "docs/abort-controller.md";

/**
 * Every call of an `abort` method in the source stands in a table of docs/abort-controller.md
 * with its reason, and the table lists no call that is not there: one row a call, the file in
 * backticks in the first cell, the reason in the second.
 * @param {string} root
 */
export async function check(root) {
  const calls = countBy(
    sourceFiles(root)
      .filter((path) => /\.(tsx?|mjs)$/.test(path) && !isTest(path))
      .flatMap((path) => abortCalls(readFileSync(join(root, path), "utf8")).map(() => path)),
  );
  const path = join(root, document);
  const rows = countBy(existsSync(path) ? auditedFiles(readFileSync(path, "utf8")) : []);
  /** @type {string[]} */
  const problems = [];
  for (const file of new Set([...calls.keys(), ...rows.keys()])) {
    const inSource = calls.get(file) ?? 0;
    const inTable = rows.get(file) ?? 0;
    if (inSource !== inTable) {
      problems.push(`${file}: aborts ${inSource} times, ${document} gives ${inTable} reasons`);
    }
  }
  const total = [...calls.values()].reduce((sum, count) => sum + count, 0);
  return { name: "abort-audit", problems, summary: `${total} calls in ${calls.size} files` };
}

/** @param {string} source */
function abortCalls(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
  return [...code.matchAll(/\.(?:abort)(?:\.(?:bind|call|apply))?\s*\(/g)];
}

/** @param {string} markdown */
function auditedFiles(markdown) {
  return [...markdown.matchAll(/^\|\s*`([^`]+\.(?:tsx?|mjs))`\s*\|[^|\n]*\S[^|\n]*\|/gm)].map(
    (row) => row[1] ?? "",
  );
}

/** @param {string[]} values */
function countBy(values) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
