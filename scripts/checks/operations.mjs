import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * docs/operations.md has a row for every metric and every refusal code, and for no other.
 * @param {string} root
 */
export async function check(root) {
  const read = (/** @type {string} */ path) => readFileSync(join(root, path), "utf8");
  const page = read("docs/operations.md");
  const metrics = matches(read("gadget-code/src/http/metrics.ts"), /name: "(gadget_\w+)"/g);
  const refusals = read("packages/api/src/refusal.ts").split("export type RefusalCode")[0] ?? "";
  const codes = matches(refusals, /^ {2}(\w+): \{/gm);
  const problems = [
    ...differences(metrics, matches(page, /^\| `(gadget_\w+)` \|/gm)),
    ...differences(codes, matches(page, /^\| `(\w+)` \| \d{3} \|/gm)),
  ];
  if (metrics.length === 0 || codes.length === 0) {
    problems.push("It found nothing to compare.");
  }
  const summary = `${metrics.length} metrics, ${codes.length} refusal codes`;
  return { name: "operations", problems, summary };
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 */
const matches = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? "");

/**
 * @param {string[]} wanted
 * @param {string[]} told
 */
const differences = (wanted, told) => [
  ...wanted.filter((name) => !told.includes(name)).map((name) => `${name} has no row`),
  ...told.filter((name) => !wanted.includes(name)).map((name) => `${name} does not exist`),
];
