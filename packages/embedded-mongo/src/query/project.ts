import { Int32 } from "bson";
import { describe } from "./describe.ts";
import { CommandError } from "./error.ts";
import { compileFilter, type Filter } from "./match.ts";
import { wholeNumber } from "./numeric.ts";
import { compileFields, type ProjectionOperator } from "./projection/projection-spec.ts";
import { type Doc, isDoc, isNumeric, type Value } from "./value.ts";

export interface ProjectionOptions {
  /** The query's filter, for the positional `$`. */
  readonly filter?: Filter | undefined;
  readonly now?: Date | undefined;
  /** The command's `let`. */
  readonly variables?: Doc | undefined;
  readonly collation?: Doc | undefined;
}

type Project = (doc: Doc) => Doc;

/** Changes the value at a path of the projected document; `source` is the whole one. */
interface Adjustment {
  readonly path: readonly string[];
  /** The first array on the way is changed, not the arrays at the end of the path. */
  readonly atFirstArray: boolean;
  readonly adjust: (value: Value, source: Doc) => Value;
}
type Adjust = Adjustment["adjust"];

/** Compiles a find projection with its $slice, $elemMatch and positional operators. */
export function compileProjection(spec: Doc, options: ProjectionOptions = {}): Project {
  if (spec.size === 0) {
    return (doc) => doc;
  }
  const adjustments: Adjustment[] = [];
  const plain: Doc = new Map();
  let hasPositional = false;
  let hasSlice = false;
  for (const [path, value] of spec) {
    if (path.endsWith(".$") || path === "$") {
      if (hasPositional) {
        throw new CommandError(
          31276,
          "Cannot specify more than one positional projection per query.",
        );
      }
      hasPositional = true;
      const array = path.slice(0, -2);
      const adjust = positional(options.filter);
      adjustments.push({ path: array.split("."), atFirstArray: true, adjust });
      plain.set(array, value);
    } else if (isDoc(value) && value.has("$slice") && !isSliceExpression(value.get("$slice"))) {
      hasSlice = true;
      adjustments.push({ path: path.split("."), atFirstArray: false, adjust: slice(value) });
      if (decidesInclusion(spec)) {
        plain.set(path, new Int32(1));
      }
    } else {
      plain.set(path, value);
    }
  }
  const operator = findOperators(options);
  const fields = plain.size === 0 ? undefined : compileFields(plain, options, operator);
  if (hasPositional && hasSlice) {
    throw new CommandError(31256, "Cannot specify positional operator and $slice");
  }
  return (doc) => {
    let result = fields === undefined ? doc : fields(doc);
    for (const adjustment of adjustments) {
      result = adjusted(result, adjustment.path, doc, adjustment);
    }
    return result;
  };
}

/** $slice alone leaves the other fields in; with an inclusion it is one itself. */
function decidesInclusion(spec: Doc): boolean {
  return [...spec].some(([path, value]) => {
    if (path === "_id") {
      return false;
    }
    if (isDoc(value)) {
      return !value.has("$slice");
    }
    return (
      typeof value === "string" ||
      value === true ||
      (isNumeric(value) && Number(value.toString()) !== 0)
    );
  });
}

/** `$slice: ["$field", n]` is the expression, not find's own operator. */
function isSliceExpression(operand: Value | undefined): boolean {
  const [first] = Array.isArray(operand) ? operand : [];
  return first !== undefined && !isNumeric(first);
}

function slice(spec: Doc): Adjust {
  const operand = spec.get("$slice") ?? null;
  const numbers = (Array.isArray(operand) ? operand : [operand]).map((item) =>
    isNumeric(item) ? wholeNumber(item) : undefined,
  );
  const [first, second] = numbers;
  const wrong =
    first === undefined || numbers.length > 2 || (Array.isArray(operand) && second === undefined);
  if (wrong) {
    throw new CommandError(
      28667,
      `Invalid $slice syntax. The given syntax ${describe(spec)} did not match the find() syntax because :: Location31273: $slice only supports numbers and [skip, limit] arrays`,
    );
  }
  const count = Number(first);
  if (second === undefined) {
    return (value) =>
      Array.isArray(value) ? (count < 0 ? value.slice(count) : value.slice(0, count)) : value;
  }
  const limit = Number(second);
  if (limit <= 0) {
    throw new CommandError(28724, `$slice limit must be positive`);
  }
  return (value) => {
    if (!Array.isArray(value)) {
      return value;
    }
    const start = count < 0 ? Math.max(0, value.length + count) : count;
    return value.slice(start, start + limit);
  };
}

function positional(filter: Filter | undefined): Adjust {
  return (value, source) => {
    if (!Array.isArray(value)) {
      return value;
    }
    const index = filter?.arrayIndexFor(source);
    const item = index === undefined ? undefined : value[index];
    if (item === undefined) {
      throw new CommandError(
        51246,
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      );
    }
    return [item];
  };
}

function findOperators(options: ProjectionOptions): ProjectionOperator {
  return (path, spec) => {
    if (spec.has("$meta")) {
      throw new CommandError("NotImplemented", "$meta is not supported");
    }
    const condition = spec.get("$elemMatch");
    if (condition === undefined) {
      return undefined;
    }
    if (path.includes(".")) {
      throw new CommandError(31275, "Cannot use $elemMatch projection on a nested field");
    }
    if (!isDoc(condition)) {
      throw new CommandError(31274, "elemMatch: Invalid argument, object required");
    }
    const wrapped = new Map([["items", new Map([["$elemMatch", condition]])]]);
    const filter = compileFilter(wrapped, { collation: options.collation, now: options.now });
    return {
      kind: "compute",
      evaluate: (root) => {
        const items = root.get(path);
        if (!Array.isArray(items)) {
          return undefined;
        }
        const item = items[filter.arrayIndexFor(new Map([["items", items]])) ?? -1];
        return item === undefined ? undefined : [item];
      },
    };
  };
}

/** Copies the documents on the way, and changes what is there. */
function adjusted(doc: Doc, path: readonly string[], source: Doc, adjustment: Adjustment): Doc {
  const [name = "", ...rest] = path;
  const value = doc.get(name);
  if (value === undefined) {
    return doc;
  }
  return new Map(doc).set(name, adjustedWithin(value, rest, source, adjustment));
}

function adjustedWithin(
  value: Value,
  path: readonly string[],
  source: Doc,
  adjustment: Adjustment,
): Value {
  const isArray = Array.isArray(value);
  if (path.length === 0 || (isArray && adjustment.atFirstArray)) {
    return adjustment.adjust(value, source);
  }
  if (isDoc(value)) {
    return adjusted(value, path, source, adjustment);
  }
  return isArray ? value.map((item) => adjustedWithin(item, path, source, adjustment)) : value;
}
