import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parts } from "../build/parts.mjs";
import { sourceFiles } from "../shared/source-files.mjs";
import { anchorsOf, codeSpansOf, linksOf } from "./reading/links-of.mjs";

const sourceName = /^[\w@.-]+(?:\/[\w@.-]+)*\.(?:tsx?|mjs|cjs|pl|c|sh)$/;
/** Names that the style guide forbids, and so mentions. */
const taboos = new Set(["utils.ts", "types.ts", "helpers.ts", "common.ts"]);
const pathName = /^[\w@.-]+(?:\/[\w@.-]+)+\/?$/;

/**
 * Links and anchors between the documents lead somewhere, and paths in backticks exist.
 * @param {string} root
 */
export async function check(root) {
  const files = sourceFiles(root);
  const documents = files.filter((path) => path.endsWith(".md"));
  const topFolders = new Set(files.map((path) => path.split("/")[0]));
  const built = Object.values(parts).flatMap((part) => part.bundles.map(({ file }) => file));
  const known = [...files, ...built];
  let count = 0;
  /** @type {string[]} */
  const problems = [];
  for (const document of documents) {
    const markdown = readFileSync(join(root, document), "utf8");
    for (const link of linksOf(markdown)) {
      count += 1;
      const problem = linkProblem(root, document, markdown, link);
      if (problem !== undefined) {
        problems.push(`${document}: ${problem}`);
      }
    }
    for (const path of codeSpansOf(markdown).flatMap(expandBraces)) {
      const exists = () => existsSync(join(root, path));
      const isFromTop = pathName.test(path) && topFolders.has(path.split("/")[0]);
      const isSource = sourceName.test(path) && !taboos.has(path);
      if (!isFromTop && !isSource) {
        continue;
      }
      count += 1;
      const isSuffix = () => known.some((file) => file === path || file.endsWith(`/${path}`));
      if (!exists() && !isBuilt(path) && !(isSource && isSuffix())) {
        problems.push(`${document}: \`${path}\` does not exist`);
      }
    }
  }
  const summary = `${documents.length} documents, ${count} links and paths`;
  return { name: "docs", problems, summary };
}

/** @param {string} path */
const isBuilt = (path) => path.split("/").some((part) => ["dist", "node_modules"].includes(part));

/**
 * @param {string} root
 * @param {string} document
 * @param {string} markdown
 * @param {string} link
 */
function linkProblem(root, document, markdown, link) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) {
    return undefined;
  }
  const [path = "", anchor] = decodeURI(link).split("#");
  const target =
    path === "" ? document : posix.normalize(posix.join(posix.dirname(document), path));
  if (target.startsWith("../") || !existsSync(join(root, target))) {
    return `the link to ${link} leads nowhere`;
  }
  if (anchor === undefined || !target.endsWith(".md")) {
    return undefined;
  }
  const content = target === document ? markdown : readFileSync(join(root, target), "utf8");
  return anchorsOf(content).has(anchor) ? undefined : `the link to ${link} has no such heading`;
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function expandBraces(path) {
  const match = /^([^{}]*)\{([^{}]+)\}(.*)$/.exec(path);
  if (match === null) {
    return [path];
  }
  const [, before = "", alternatives = "", after = ""] = match;
  return alternatives.split(",").flatMap((one) => expandBraces(`${before}${one.trim()}${after}`));
}
