import { isTest } from "../../shared/source-files.mjs";
import { brokenDroneRule } from "./broken-drone-rule.mjs";
import { packageOf, packages } from "./packages.mjs";

/** Inside the server, from the outside in: what a folder must not import. */
const aboveInServer = /** @type {Record<string, string[]>} */ ({
  turns: ["lib", "http"],
  models: ["lib", "http", "turns"],
  drones: ["lib", "http", "turns"],
});

/** @param {string} path */
const folderInServer = (path) => /^gadget-code\/src\/([^/]+)\//.exec(path)?.[1];

/**
 * The rule that an import breaks.
 * @param {string} importer a file, from the root
 * @param {string} imported a file, or the name of a library
 * @returns {string | undefined}
 */
export function brokenRule(importer, imported) {
  const from = packageOf(importer) ?? "";
  const to = packageOf(imported);
  if (to !== undefined && to !== from && !packages[from]?.mayImport.includes(to)) {
    return `${from} must not import ${to}`;
  }
  if (isTest(imported)) {
    return "source must not import tests";
  }
  if (from === "drone") {
    return brokenDroneRule(importer, imported);
  }
  const serverFolder = folderInServer(importer);
  if (serverFolder === undefined) {
    return undefined;
  }
  const above = folderInServer(imported);
  if (above !== undefined && aboveInServer[serverFolder]?.includes(above)) {
    return `in the server, ${serverFolder} must not import ${above}`;
  }
  // Publishing is injected: only the sockets' folder knows socket.io.
  if (serverFolder !== "lib" && /^(socket\.io|@socket\.io)(\/|-|$)/.test(imported)) {
    return "in the server, only lib imports socket.io";
  }
  return undefined;
}
