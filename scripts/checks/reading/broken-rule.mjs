import { isTest } from "../../shared/source-files.mjs";
import { brokenRoomRule } from "./broken-room-rule.mjs";
import { packageOf, packages } from "./packages.mjs";

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
  // Publishing is injected: only the sockets' room knows socket.io.
  const isRoom = /^gadget-code\/src\/(?!lib\/)[^/]+\//.test(importer);
  if (isRoom && /^(socket\.io|@socket\.io)(\/|-|$)/.test(imported)) {
    return "in the server, only lib imports socket.io";
  }
  return brokenRoomRule(importer, imported);
}
