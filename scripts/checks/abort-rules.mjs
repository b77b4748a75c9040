import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sourceFiles } from "../shared/source-files.mjs";

const document = "docs/abort-rules.md";

/** Rules that nothing can test yet, with the reason. */
const exempt = new Map([["A24", "there is no MCP client yet"]]);

/**
 * Every rule of docs/abort-rules.md is cited by the name of a test, and no test cites a rule that
 * is not there.
 * @param {string} root
 */
export async function check(root) {
  const path = join(root, document);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const rules = [...text.matchAll(/^- \*\*(A\d+)\*\* /gm)].map(([, rule = ""]) => rule);
  const cited = citations(root);
  const untested = rules.filter((rule) => !cited.has(rule) && !exempt.has(rule));
  const unknown = [...cited].filter(([rule]) => !rules.includes(rule));
  const problems = [
    ...untested.map((rule) => `${document}: no test cites ${rule}`),
    ...unknown.map(([rule, file]) => `${file}: cites ${rule}, which ${document} does not have`),
  ];
  if (rules.length === 0) {
    problems.push(`${document}: holds no rule`);
  }
  return { name: "abort-rules", problems, summary: `${rules.length} rules` };
}

/**
 * @param {string} root
 * @returns {Map<string, string>} each rule that the name of a test begins with, and one such file
 */
function citations(root) {
  const files = sourceFiles(root).filter(
    (path) => /\.(test|e2e)\.tsx?$/.test(path) && !path.endsWith(".live.test.ts"),
  );
  /** @type {Map<string, string>} */
  const cited = new Map();
  for (const file of files) {
    const source = readFileSync(join(root, file), "utf8");
    const names = source.matchAll(/\b(?:it|test|describe)\b[^"'`]{0,80}?["'`]((?:A\d+\b[ ,]*)+)/g);
    for (const [, ids = ""] of names) {
      for (const [id] of ids.matchAll(/A\d+/g)) {
        cited.set(id, file);
      }
    }
  }
  return cited;
}
