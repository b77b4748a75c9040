import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cruise } from "dependency-cruiser";
import configuration from "../../.dependency-cruiser.mjs";
import { isTest, sourceFiles } from "../source-files.mjs";
import { graphIn } from "./mermaid.mjs";
import { packageOf, packages } from "./packages.mjs";

/**
 * Imports point one way, and the picture in ARCHITECTURE.md shows the packages as they are. The
 * cruiser must have seen every source file: it says "no violations" when it sees none.
 * @param {string} root
 */
export async function check(root) {
  const sources = sourceFiles(root).filter(
    (path) => packageOf(path) !== undefined && /\.tsx?$/.test(path) && !isTest(path),
  );
  const folders = Object.values(packages)
    .map(({ folder }) => folder)
    .filter((folder) => sources.some((path) => path.startsWith(`${folder}/`)));
  const { modules, violations } = await cruiseFolders(root, folders);
  const seen = new Set(modules.map((module) => module.source));
  const unseen = sources.filter((path) => !seen.has(path));
  const edges = packageEdges(modules);
  const present = new Set(sources.map((path) => packageOf(path) ?? ""));
  return {
    name: "layers",
    problems: [
      ...violations.map(({ from, to, rule, cycle }) => {
        const way = cycle?.map((step) => step.name).join(" -> ") ?? to;
        return `${rule.name}: ${from} -> ${way}`;
      }),
      ...unseen.map((path) => `${path}: was not looked at`),
      ...(sources.length === 0 ? ["It saw no module."] : []),
      ...pictureProblems(root, edges, present),
    ],
    summary: `${sources.length} modules in ${present.size} packages; ${[...edges].join(", ")}`,
  };
}

/**
 * @param {string} root
 * @param {string[]} folders
 */
async function cruiseFolders(root, folders) {
  if (folders.length === 0) return { modules: [], violations: [] };
  const { options, forbidden } = configuration;
  const { enhancedResolveOptions, ...cruiseOptions } = options;
  const { output } = await cruise(
    folders,
    /** @type {import("dependency-cruiser").ICruiseOptions} */ ({
      ...cruiseOptions,
      baseDir: root,
      validate: true,
      ruleSet: { forbidden },
    }),
    enhancedResolveOptions,
  );
  if (typeof output === "string") throw new Error(output);
  return { modules: output.modules, violations: output.summary.violations };
}

/**
 * @param {import("dependency-cruiser").IModule[]} modules
 * @returns {Set<string>} as in the picture: `api --> server`, the server imports api
 */
function packageEdges(modules) {
  /** @type {string[]} */
  const edges = [];
  for (const { source, dependencies } of modules) {
    const importer = packageOf(source);
    for (const { resolved } of dependencies) {
      const imported = packageOf(resolved);
      if (importer === undefined || imported === undefined || importer === imported) continue;
      edges.push(`${imported} --> ${importer}`);
    }
  }
  return new Set(edges.toSorted());
}

/**
 * @param {string} root
 * @param {Set<string>} edges
 * @param {Set<string>} present the packages that have source files
 */
function pictureProblems(root, edges, present) {
  const path = join(root, "ARCHITECTURE.md");
  if (!existsSync(path)) return [];
  const picture = graphIn(readFileSync(path, "utf8"), "packages");
  if (picture === undefined) return ["ARCHITECTURE.md: no mermaid graph after <!-- packages -->"];
  const isThere = (/** @type {string} */ edge) =>
    edge.split(" --> ").every((name) => present.has(name));
  return [
    ...[...edges]
      .filter((edge) => !picture.has(edge))
      .map((edge) => `is so, but not in the picture of ARCHITECTURE.md: ${edge}`),
    ...[...picture]
      .filter((edge) => isThere(edge) && !edges.has(edge))
      .map((edge) => `is in the picture of ARCHITECTURE.md, but not so: ${edge}`),
  ];
}
