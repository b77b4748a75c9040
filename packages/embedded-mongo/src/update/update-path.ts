import { CommandError } from "../bson/command-error.ts";
import { describe } from "../bson/describe.ts";
import { isArrayIndex } from "../bson/document.ts";
import { type Doc, isDoc, type Value } from "../bson/value.ts";

const maxBackfill = 1_500_000;

/** The components of a field path in an update, checked for what can't be stored. */
export function parseUpdatePath(path: string): string[] {
  if (path === "") {
    throw new CommandError("EmptyFieldName", "An empty update path is not valid.");
  }
  const names = path.split(".");
  if (names.includes("")) {
    throw new CommandError(
      "EmptyFieldName",
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    );
  }
  const positional = names.filter((name) => name === "$").length;
  if (names[0] === "$") {
    throw new CommandError(
      "BadValue",
      `Cannot have positional (i.e. '$') element in the first position in path '${path}'`,
    );
  }
  if (positional > 1) {
    throw new CommandError(
      "BadValue",
      `Too many positional (i.e. '$') elements found in path '${path}'`,
    );
  }
  const identifier = names.find((name) => /^\$\[.*\]$/.test(name));
  if (identifier !== undefined) {
    throw new CommandError(
      "NotImplemented",
      `${identifier} in the path '${path}' is not supported`,
    );
  }
  return names;
}

/** A field that begins with `$` may come in with an insertion, but not into an existing document. */
export function refuseDollarField(path: readonly string[]): void {
  const [name = ""] = path;
  if (!name.startsWith("$")) {
    return;
  }
  throw new CommandError(
    "DollarPrefixedFieldName",
    `The dollar ($) prefixed field '${name}' in '${path.join(".")}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );
}

/** The path with the position that the query matched in place of its `$`. */
export function concretePath(path: readonly string[], matchedIndex: number | undefined): string[] {
  return path.map((name) => (name === "$" ? positionalName(matchedIndex) : name));
}

function positionalName(matchedIndex: number | undefined): string {
  if (matchedIndex !== undefined) {
    return String(matchedIndex);
  }
  throw new CommandError(
    "BadValue",
    "The positional operator did not find the match needed from the query.",
  );
}

function childOf(value: Value | undefined, name: string): Value | undefined {
  if (isDoc(value)) {
    return value.get(name);
  }
  return Array.isArray(value) && isArrayIndex(name) ? value[Number(name)] : undefined;
}

/**
 * Replaces the value at a concrete path by what `change` makes of it; undefined means no field.
 * With `creates` parents are made on the way, otherwise what is missing is left alone. A scalar on
 * the way is an error, but for `ignores`, which is what $unset does.
 */
export function changeAt(
  doc: Doc,
  path: readonly string[],
  way: "creates" | "expects" | "ignores",
  change: (current: Value | undefined) => Value | undefined,
): void {
  let parent: Value = doc;
  for (const [i, name] of path.entries()) {
    const isLast = i === path.length - 1;
    const settable = isDoc(parent) || (Array.isArray(parent) && isArrayIndex(name));
    if (!settable) {
      if (way === "ignores") {
        return;
      }
      throw way === "creates" ? notViable(path, i, parent) : notTraversable(path, i, parent);
    }
    const child = childOf(parent, name);
    if (isLast) {
      put(parent, name, change(child), child === undefined);
      return;
    }
    if (child === undefined) {
      if (way !== "creates") {
        return;
      }
      const created = change(undefined);
      if (created !== undefined) {
        put(parent, name, nested(path.slice(i + 1), created), true);
      }
      return;
    }
    parent = child;
  }
}

function nested(path: readonly string[], value: Value): Value {
  return path.reduceRight<Value>((inner, name) => new Map([[name, inner]]), value);
}

function put(parent: Value, name: string, value: Value | undefined, isNew: boolean): void {
  if (isDoc(parent)) {
    if (value === undefined) {
      parent.delete(name);
    } else {
      parent.set(name, value);
    }
  } else if (Array.isArray(parent)) {
    if (value === undefined && isNew) {
      return;
    }
    const index = Number(name);
    if (index - parent.length > maxBackfill) {
      throw new CommandError(
        "BadValue",
        `can't backfill array to larger than ${maxBackfill} elements`,
      );
    }
    while (parent.length < index) {
      parent.push(null);
    }
    parent[index] = value ?? null;
  }
}

function notTraversable(path: readonly string[], at: number, parent: Value): CommandError {
  return new CommandError(
    "PathNotViable",
    `Cannot use the part (${path[at]}) of (${path.join(".")}) to traverse the element ({${path[at - 1]}: ${describe(parent)}})`,
  );
}

function notViable(path: readonly string[], at: number, parent: Value): CommandError {
  return new CommandError(
    "PathNotViable",
    `Cannot create field '${path[at]}' in element {${path[at - 1]}: ${describe(parent)}}`,
  );
}
