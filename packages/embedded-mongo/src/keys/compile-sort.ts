import { CommandError } from "../bson/command-error.ts";
import { compareValues } from "../bson/compare-values.ts";
import { describe } from "../bson/describe.ts";
import { type Doc, isNumeric, type Value } from "../bson/value.ts";
import { extractKeys } from "./extract-keys.ts";
import type { Direction } from "./index-key.ts";

export interface SortField {
  readonly path: string;
  readonly direction: Direction;
}

export interface Sort {
  readonly fields: readonly SortField[];
  /** The key of a document: for an array, its least element (greatest, if descending). */
  keyOf(doc: Doc): Value[];
  compareKeys(a: readonly Value[], b: readonly Value[]): number;
  compare(a: Doc, b: Doc): number;
}

export function compileSort(spec: Doc): Sort {
  const fields = [...spec].map(([path, direction]) => sortField(path, direction));
  const paths = fields.map(({ path }) => path);
  const compareKeys = (a: readonly Value[], b: readonly Value[]): number => {
    for (let i = 0; i < fields.length; i += 1) {
      const compared = compareValues(a[i], b[i]);
      if (compared !== 0) {
        return compared * (fields[i]?.direction ?? 1);
      }
    }
    return 0;
  };
  const keyOf = (doc: Doc): Value[] => {
    const [first = [], ...others] = keysForSort(doc, paths);
    return others.reduce((least, key) => (compareKeys(key, least) < 0 ? key : least), first);
  };
  return { fields, keyOf, compareKeys, compare: (a, b) => compareKeys(keyOf(a), keyOf(b)) };
}

function keysForSort(doc: Doc, paths: readonly string[]): Value[][] {
  try {
    return extractKeys(doc, paths);
  } catch (error) {
    if (!(error instanceof CommandError)) {
      throw error;
    }
    throw new CommandError("BadValue", "cannot sort with keys that are parallel arrays");
  }
}

function sortField(path: string, direction: Value): SortField {
  if (direction instanceof Map) {
    const meta = direction.get("$meta");
    if (meta !== undefined) {
      throw new CommandError("NotImplemented", "$meta in a sort is not supported");
    }
    throw new CommandError(15974, `Illegal key in $sort specification: ${path}`);
  }
  if (!isNumeric(direction)) {
    throw new CommandError(
      15974,
      `Illegal key in $sort specification: ${path}: ${describe(direction)}`,
    );
  }
  const sign = Number(direction.toString());
  if (sign !== 1 && sign !== -1) {
    throw new CommandError(
      15975,
      "$sort key ordering must be 1 (for ascending) or -1 (for descending)",
    );
  }
  if (path === "") {
    throw new CommandError(40352, "FieldPath cannot be constructed with empty string");
  }
  if (path.startsWith("$")) {
    throw new CommandError(
      16410,
      "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    );
  }
  if (path.split(".").includes("")) {
    throw new CommandError(15998, `FieldPath field names may not be empty strings.`);
  }
  return { path, direction: sign };
}
