import { CommandError } from "../bson/command-error.ts";
import { isArrayIndex } from "../bson/document.ts";
import { BsonUndefined, type Doc, isDoc, type Value } from "../bson/value.ts";

/** Where the search for one index field stands: at a value, with path components left to walk. */
interface Cursor {
  readonly value: Value | undefined;
  readonly rest: readonly string[];
  /** Elements of a final array are taken as they are: arrays within are not unwound. */
  readonly final: boolean;
}

/**
 * The index keys of a document: one value a path, and one key an array element where a path
 * meets an array. Missing is null, an empty array undefined, as in MongoDB. After `max` keys it
 * stops, with one more.
 */
export function extractKeys(
  doc: Doc,
  paths: readonly string[],
  options: { readonly sparse?: boolean; readonly max?: number | undefined } = {},
): Value[][] {
  const simple = simpleKey(doc, paths, options.sparse === true);
  if (simple !== undefined) {
    return simple;
  }
  const keys: Value[][] = [];
  const cursors = paths.map((path) => walk(doc, path.split(".")));
  const max = options.max ?? Number.POSITIVE_INFINITY;
  expand(cursors, paths, { sparse: options.sparse === true, max }, keys);
  return keys;
}

/** The common case without a split or an array. */
function simpleKey(doc: Doc, paths: readonly string[], sparse: boolean): Value[][] | undefined {
  const key: Value[] = [];
  let found = 0;
  for (const path of paths) {
    if (path.includes(".")) {
      return undefined;
    }
    const value = doc.get(path);
    if (Array.isArray(value)) {
      return undefined;
    }
    if (value !== undefined) {
      found += 1;
    }
    key.push(value ?? null);
  }
  return sparse && found === 0 ? [] : [key];
}

function walk(start: Value | undefined, path: readonly string[]): Cursor {
  let value = start;
  let at = 0;
  while (at < path.length && !Array.isArray(value)) {
    const name = path[at] ?? "";
    value = isDoc(value) ? value.get(name) : undefined;
    at += 1;
    if (value === undefined) {
      return { value, rest: [], final: true };
    }
  }
  const rest = path.slice(at);
  const [name] = rest;
  if (Array.isArray(value) && name !== undefined && isArrayIndex(name)) {
    const item = value[Number(name)];
    if (item !== undefined) {
      return walk(item, rest.slice(1));
    }
  }
  return { value, rest, final: false };
}

function expand(
  cursors: readonly Cursor[],
  paths: readonly string[],
  options: { readonly sparse: boolean; readonly max: number },
  keys: Value[][],
): void {
  let array: readonly Value[] | undefined;
  let arrayPath = "";
  cursors.forEach(({ value, final }, i) => {
    if (final || !Array.isArray(value) || value === array) {
      return;
    }
    if (array !== undefined) {
      throw new CommandError(
        "CannotIndexParallelArrays",
        `cannot index parallel arrays [${lastName(paths[i])}] [${lastName(arrayPath)}]`,
      );
    }
    array = value;
    arrayPath = paths[i] ?? "";
  });
  if (array === undefined) {
    if (options.sparse && cursors.every(({ value }) => value === undefined)) {
      return;
    }
    keys.push(cursors.map(({ value }) => value ?? null));
    return;
  }
  // An empty array has the key undefined; a null in an array is keyed as null.
  const items: readonly Value[] = array.length === 0 ? [BsonUndefined.value] : array;
  for (const item of items) {
    if (keys.length > options.max) {
      return;
    }
    const next = cursors.map((cursor) => {
      if (cursor.final || cursor.value !== array) {
        return cursor;
      }
      if (cursor.rest.length === 0) {
        return { value: item, rest: [], final: true };
      }
      return Array.isArray(item)
        ? { value: undefined, rest: [], final: true }
        : walk(item, cursor.rest);
    });
    expand(next, paths, options, keys);
  }
}

function lastName(path = ""): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
