import { CommandError } from "../../query/error.ts";
import { type Doc, isDoc, type Value } from "../../query/value.ts";
import { typeOf } from "../expression/operator.ts";
import { fieldPath, valueAtPath } from "../expression.ts";
import type { StageCompiler } from "./stage.ts";

interface Unwind {
  readonly path: readonly string[];
  readonly indexPath: readonly string[] | undefined;
  readonly preserve: boolean;
}

export const unwind: StageCompiler = (spec) => {
  const options = parse(spec);
  return async function* unwound(input) {
    for await (const doc of input) {
      yield* unwindDoc(doc, options);
    }
  };
};

function parse(spec: Value): Unwind {
  if (typeof spec === "string") {
    return { path: pathOf(spec), indexPath: undefined, preserve: false };
  }
  if (!isDoc(spec)) {
    throw new CommandError(
      15981,
      `expected either a string or an object as specification for $unwind stage, got ${typeOf(spec)}`,
    );
  }
  for (const key of spec.keys()) {
    if (!["path", "includeArrayIndex", "preserveNullAndEmptyArrays"].includes(key)) {
      throw new CommandError(28811, `unrecognized option to $unwind stage: ${key}`);
    }
  }
  const index = spec.get("includeArrayIndex");
  if (index !== undefined && (typeof index !== "string" || index === "")) {
    throw new CommandError(
      28810,
      "expected a non-empty string for the includeArrayIndex option to $unwind stage",
    );
  }
  if (index?.startsWith("$")) {
    throw new CommandError(
      28822,
      `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${index}`,
    );
  }
  const preserve = spec.get("preserveNullAndEmptyArrays") ?? false;
  if (typeof preserve !== "boolean") {
    throw new CommandError(
      28809,
      "expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage",
    );
  }
  const path = spec.get("path");
  if (path === undefined) {
    throw new CommandError(28812, "no path specified to $unwind stage");
  }
  return { path: pathOf(path), indexPath: index?.split("."), preserve };
}

function pathOf(path: Value): string[] {
  if (typeof path !== "string") {
    throw new CommandError(28808, "expected a string as the path for $unwind stage");
  }
  if (!path.startsWith("$")) {
    throw new CommandError(
      28818,
      `path option to $unwind stage should be prefixed with a '$': ${path}`,
    );
  }
  return fieldPath(path.slice(1));
}

function* unwindDoc(doc: Doc, { path, indexPath, preserve }: Unwind): Generator<Doc> {
  const parent = path.length === 1 ? doc : valueAtPath(doc, path.slice(0, -1), 0);
  const value = isDoc(parent) ? parent.get(path.at(-1) ?? "") : undefined;
  const withIndex = (result: Doc, index: bigint | null): Doc =>
    indexPath ? setPath(result, indexPath, index) : result;
  if (Array.isArray(value) && value.length > 0) {
    for (const [i, item] of value.entries()) {
      yield withIndex(setPath(doc, path, item), BigInt(i));
    }
  } else if (Array.isArray(value)) {
    if (preserve) {
      yield withIndex(setPath(doc, path, undefined), null);
    }
  } else if (preserve || (value !== undefined && value !== null)) {
    yield withIndex(doc, null);
  }
}

/** A copy of the document with another value at a path through documents. */
export function setPath(doc: Doc, path: readonly string[], value: Value | undefined): Doc {
  const [name = "", ...rest] = path;
  const result: Doc = new Map(doc);
  const inner = doc.get(name);
  const next = rest.length === 0 ? value : setPath(isDoc(inner) ? inner : new Map(), rest, value);
  if (next === undefined) {
    result.delete(name);
  } else {
    result.set(name, next);
  }
  return result;
}
