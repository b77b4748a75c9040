import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";

/**
 * What a file imports, in any way that names another module: values and types, static and
 * dynamic, re-exports and `import("...")` types.
 * @param {string} root
 * @param {string} path
 * @returns {string[]} the specifiers as written
 */
export function importsOf(root, path) {
  const { program, errors } = parseSync(path, readFileSync(join(root, path), "utf8"));
  if (errors.length > 0) {
    throw new Error(`${path}: ${errors[0]?.message}`);
  }
  /** @type {Set<string>} */
  const specifiers = new Set();
  /** @param {{ source?: { type: string, value?: unknown } | null }} node */
  const add = ({ source }) => {
    if (typeof source?.value === "string") {
      specifiers.add(source.value);
    }
  };
  const visitor = new Visitor({
    ImportDeclaration: add,
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    ImportExpression: add,
    TSImportType: add,
  });
  visitor.visit(program);
  return [...specifiers];
}

/**
 * @param {string} root
 * @param {string} importer
 * @param {string} specifier
 * @returns {string | undefined} the file, from the root, of an import of ours; the specifier
 *   itself for a library or a built-in; undefined when it leads nowhere
 */
export function resolveImport(root, importer, specifier) {
  if (specifier.startsWith(".")) {
    const path = posix.join(dirname(importer), specifier.replace(/\?.*$/, ""));
    return existsSync(join(root, path)) ? path : undefined;
  }
  if (!specifier.startsWith("@gadget/")) {
    return specifier;
  }
  const [, name = "", ...rest] = specifier.split("/");
  const folder = name === "drone" ? "gadget-drone" : `packages/${name}`;
  const manifestPath = join(root, folder, "package.json");
  if (!existsSync(manifestPath)) {
    return undefined;
  }
  const { exports } = JSON.parse(readFileSync(manifestPath, "utf8"));
  const target = exports?.[[".", ...rest].join("/")];
  if (typeof target !== "string") {
    return undefined;
  }
  const path = posix.join(folder, target);
  return existsSync(join(root, path)) ? path : undefined;
}
