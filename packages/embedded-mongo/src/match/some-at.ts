import { isDoc, type Value } from "../bson/value.ts";

/** Returns true to stop. `arrayIndex` is the position in the outermost array that was entered. */
type Visit = (value: Value | undefined, arrayIndex: number | undefined) => boolean;

/**
 * Visits what MongoDB's matcher tries at a path until a visit returns true. Documents in arrays
 * are entered, a number in the path is a field name and an array position at once, and with
 * `unwind` a final array is visited element by element and then as a whole. A missing field is
 * visited as undefined; an array without documents on the way is not visited at all.
 */
export function someAt(
  root: Value | undefined,
  path: readonly string[],
  unwind: boolean,
  visit: Visit,
): boolean {
  return walk(root, path, 0, unwind, undefined, visit);
}

function walk(
  start: Value | undefined,
  path: readonly string[],
  from: number,
  unwind: boolean,
  outer: number | undefined,
  visit: Visit,
): boolean {
  let value = start;
  let at = from;
  while (at < path.length) {
    if (Array.isArray(value)) {
      return walkArray(value, path, at, unwind, outer, visit);
    }
    if (!isDoc(value)) {
      return visit(undefined, outer);
    }
    value = value.get(path[at] ?? "");
    at += 1;
  }
  if (unwind && Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      if (visit(value[i], outer ?? i)) {
        return true;
      }
    }
  }
  return visit(value, outer);
}

function walkArray(
  array: readonly Value[],
  path: readonly string[],
  at: number,
  unwind: boolean,
  outer: number | undefined,
  visit: Visit,
): boolean {
  const isLast = at + 1 === path.length;
  for (let i = 0; i < array.length; i += 1) {
    const item = array[i];
    const index = outer ?? i;
    if (isDoc(item) && walk(item, path, at, unwind, index, visit)) {
      return true;
    }
    if (path[at] !== String(i)) {
      continue;
    }
    // A position that the path names is no match of the array's: the positional `$` can't use it.
    if (isLast) {
      if (visit(item, outer)) {
        return true;
      }
    } else if (isDoc(item) || Array.isArray(item)) {
      if (walk(item, path, at + 1, unwind, outer, visit)) {
        return true;
      }
    }
  }
  return false;
}
