import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sourceFiles } from "../shared/source-files.mjs";

const placeholders = "user|you|me|someone|alice|bob|dev|node|gadget|ada";

/**
 * What belongs to one machine or to the way a file was made, and not to the project. The patterns
 * are written so that they don't match this file.
 */
const rules = [
  { what: "a path of one machine", pattern: /\/work\/(?:main|shared)\b|\/tmp\/(?:brief|bash_)/ },
  {
    what: "somebody's home folder",
    pattern: new RegExp(`/(?:home|Users)/(?!(?:${placeholders})\\b)[a-z][\\w.-]*/`),
  },
  {
    what: "a package registry's host",
    pattern: /\bregistry\.(?:[a-z0-9-]+\.)+[a-z]{2,}|\b(?:artifactory|verdaccio|npm\.pkg)\./i,
  },
  { what: "a resolved address in the lockfile", pattern: /"resolved": "https?:/ },
  {
    what: "a note of how it was made",
    pattern:
      /^co-authored[-]by:|\bgenerated (?:with|by) (?:an? )?(?:ai|llm|claude|chatgpt|copilot)\b/im,
  },
];

const text = /\.(?:[cm]?[jt]sx?|json|md|ya?ml|html|css|sh|pl|c|txt|toml)$|(?:^|\/)[^.]+$|\.npmrc$/;

/** @param {string} root */
export async function check(root) {
  /** @type {string[]} */
  const problems = [];
  const files = sourceFiles(root).filter((path) => text.test(path));
  for (const path of files) {
    const content = readFileSync(join(root, path), "utf8");
    if (content.includes(`${root}/`)) {
      problems.push(`${path}: names the folder of this clone`);
    }
    for (const { what, pattern } of rules) {
      const match = pattern.exec(content);
      if (match === null) {
        continue;
      }
      const line = content.slice(0, match.index).split("\n").length;
      problems.push(`${path}:${line}: ${what} ("${match[0].trim()}")`);
    }
  }
  if (files.length === 0) {
    problems.push("It saw no file.");
  }
  return { name: "wording", problems, summary: `${files.length} files` };
}
