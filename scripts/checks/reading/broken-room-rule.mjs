import { houses } from "./houses.mjs";

/**
 * The rule of a house that an import inside of it breaks.
 * @param {string} importer a file, from the root
 * @param {string} imported
 * @returns {string | undefined}
 */
export function brokenRoomRule(importer, imported) {
  const found = Object.entries(houses).find(([, { folder }]) => importer.startsWith(`${folder}/`));
  if (found === undefined || !imported.startsWith(`${found[1].folder}/`)) {
    return undefined;
  }
  const [name, { folder, rooms, shared }] = found;
  const [here, there] = [importer, imported].map((path) => path.slice(folder.length + 1));
  const [from, to] = [roomOf(rooms, here), roomOf(rooms, there)];
  /** @param {string | undefined} path */
  const isShared = (path = "") => shared.includes(path.replace(/\.tsx?$/, ""));
  if (from === undefined) {
    if (here?.includes("/")) {
      return `in the ${name}, the folder of ${here} has no rule of what it may import`;
    }
    return isShared(here) && !isShared(there)
      ? `in the ${name}, ${here} must not import ${there}: every room uses it`
      : undefined;
  }
  if (to === from || isShared(there) || (to !== undefined && rooms[from]?.includes(to))) {
    return undefined;
  }
  return `in the ${name}, ${from} must not import ${to ?? there}`;
}

/**
 * The room with the longest name counts: a room may stand inside of another one.
 * @param {Record<string, string[]>} rooms
 * @param {string} [path] from the folder of the house
 */
function roomOf(rooms, path = "") {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const around = Object.keys(rooms).filter((room) => `${folder}/`.startsWith(`${room}/`));
  return around.toSorted((a, b) => b.length - a.length)[0];
}
