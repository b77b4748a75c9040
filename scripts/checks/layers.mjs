import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isTest, sourceFiles } from "../shared/source-files.mjs";
import { brokenRule } from "./reading/broken-rule.mjs";
import { cyclesIn } from "./reading/cycles-in.mjs";
import { graphIn } from "./reading/graph-in.mjs";
import { importsOf, resolveImport } from "./reading/imports.mjs";
import { packageOf, packages } from "./reading/packages.mjs";

/**
 * Imports point one way, there are no cycles, and the picture in ARCHITECTURE.md shows the
 * packages as they are. Types count like values; tests are free.
 * @param {string} root
 */
export async function check(root) {
  const files = sourceFiles(root).filter(
    (path) => packageOf(path) !== undefined && /\.tsx?$/.test(path) && !isTest(path),
  );
  /** @type {string[]} */
  const problems = [];
  /** @type {Map<string, string[]>} */
  const graph = new Map();
  for (const file of files) {
    /** @type {string[]} */
    const targets = [];
    for (const specifier of importsOf(root, file)) {
      const target = resolveImport(root, file, specifier);
      const rule = target === undefined ? "it leads nowhere" : brokenRule(file, target);
      if (rule !== undefined) {
        problems.push(`${file} imports ${specifier}: ${rule}`);
      }
      if (target !== undefined) {
        targets.push(target);
      }
    }
    graph.set(file, targets);
  }
  for (const cycle of cyclesIn(graph)) {
    problems.push(`a cycle: ${cycle.join(" -> ")}`);
  }

  const edges = packageEdges(graph);
  const present = new Set(files.map((path) => packageOf(path) ?? ""));
  problems.push(...pictureProblems(root, edges, present), ...blindness(root, graph));
  const summary = `${files.length} modules in ${present.size} packages; ${[...edges].join(", ")}`;
  return { name: "layers", problems, summary };
}

/**
 * @param {Map<string, string[]>} graph
 * @returns {Set<string>} as in the picture: `api --> server`, the server imports api
 */
function packageEdges(graph) {
  const edges = [...graph].flatMap(([importer, targets]) => {
    const to = packageOf(importer);
    const from = targets.map(packageOf).filter((name) => name !== undefined && name !== to);
    return from.map((name) => `${name} --> ${to}`);
  });
  return new Set(edges.toSorted());
}

/**
 * A check that sees nothing finds nothing wrong: there must be modules, and imports among those of
 * every package that has more than a few.
 * @param {string} root
 * @param {Map<string, string[]>} graph
 */
function blindness(root, graph) {
  if (graph.size === 0) {
    return ["It saw no module."];
  }
  return Object.entries(packages).flatMap(([name, { folder }]) => {
    if (!existsSync(join(root, folder))) {
      return [];
    }
    const modules = [...graph].filter(([path]) => packageOf(path) === name);
    const imports = modules.reduce((sum, [, targets]) => sum + targets.length, 0);
    return modules.length > 3 && imports === 0 ? [`It saw no import in ${folder}.`] : [];
  });
}

/**
 * @param {string} root
 * @param {Set<string>} edges
 * @param {Set<string>} present the packages that have source files
 */
function pictureProblems(root, edges, present) {
  const path = join(root, "ARCHITECTURE.md");
  if (!existsSync(path)) {
    return ["ARCHITECTURE.md is missing"];
  }
  const picture = graphIn(readFileSync(path, "utf8"), "packages");
  if (picture === undefined) {
    return ["ARCHITECTURE.md: no mermaid graph after <!-- packages -->"];
  }
  const isThere = (/** @type {string} */ edge) =>
    edge.split(" --> ").every((name) => present.has(name));
  const missing = [...edges].filter((edge) => !picture.has(edge));
  const untrue = [...picture].filter((edge) => isThere(edge) && !edges.has(edge));
  return [
    ...missing.map((edge) => `is so, but not in the picture of ARCHITECTURE.md: ${edge}`),
    ...untrue.map((edge) => `is in the picture of ARCHITECTURE.md, but not so: ${edge}`),
  ];
}
