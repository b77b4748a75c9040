import { CommandError } from "../bson/command-error.ts";
import { type Doc, isDoc, isNumeric, type Value } from "../bson/value.ts";
import { isTruthy } from "../match/field-predicate.ts";
import { addField, excludeFields, type Fields, includeFields } from "./fields.ts";

/** The operators of projections that are MongoDB's, and refused. Others do not exist. */
const knownOperators = new Set(["$slice", "$elemMatch", "$meta"]);

interface Parsed {
  readonly fields: Fields;
  readonly included: string[];
  readonly excluded: string[];
}

/** Compiles a projection: inclusion or exclusion, but not both, save for _id. */
export function compileProjection(spec: Doc): (doc: Doc) => Doc {
  if (spec.size === 0) {
    return (doc) => doc;
  }
  const parsed: Parsed = { fields: new Map(), included: [], excluded: [] };
  collect(spec, "", parsed);
  const { fields, included, excluded } = parsed;
  const idSpec = fields.get("_id");
  const [firstIncluded] = included.filter((path) => path !== "_id");
  const [firstExcluded] = excluded.filter((path) => path !== "_id");
  const inclusive =
    firstIncluded !== undefined || (firstExcluded === undefined && idSpec?.kind === "include");
  if (inclusive && firstExcluded !== undefined) {
    const first = included[0] ?? "";
    throw firstPosition(spec, firstExcluded) < firstPosition(spec, first)
      ? new CommandError(
          31253,
          `Cannot do inclusion on field ${firstIncluded} in exclusion projection`,
        )
      : new CommandError(
          31254,
          `Cannot do exclusion on field ${firstExcluded} in inclusion projection`,
        );
  }
  if (!inclusive) {
    if (idSpec?.kind === "include") {
      fields.delete("_id");
    }
    return (doc) => excludeFields(doc, fields);
  }
  if (idSpec === undefined) {
    fields.set("_id", { kind: "include" });
  }
  return (doc) => includeFields(doc, fields);
}

function firstPosition(spec: Doc, path: string): number {
  return [...spec.keys()].findIndex((key) => path === key || path.startsWith(`${key}.`));
}

function collect(spec: Doc, prefix: string, parsed: Parsed): void {
  for (const [name, value] of spec) {
    const path = prefix + name;
    if (path === "$" || path.endsWith(".$")) {
      throw new CommandError(
        "NotImplemented",
        `the positional projection ${path} is not supported`,
      );
    }
    if (typeof value === "boolean" || isNumeric(value)) {
      const kind = isTruthy(value) ? "include" : "exclude";
      addField(parsed.fields, path, { kind });
      (kind === "include" ? parsed.included : parsed.excluded).push(path);
      continue;
    }
    if (!isDoc(value)) {
      throw computed(path, value);
    }
    const [first] = value.keys();
    if (first === undefined) {
      throw new CommandError(
        51270,
        `An empty sub-projection is not a valid value. Found empty object at path`,
      );
    }
    if (first.startsWith("$")) {
      throw knownOperators.has(first)
        ? new CommandError("NotImplemented", `${first} in a projection is not supported`)
        : new CommandError(
            "InvalidPipelineOperator",
            `Unrecognized expression '${first}': expressions are not supported`,
          );
    }
    collect(value, `${path}.`, parsed);
  }
}

function computed(path: string, value: Value): CommandError {
  const what = typeof value === "string" ? `: ${value}` : "";
  return new CommandError(
    "NotImplemented",
    `the computed field ${path}${what} in a projection is not supported`,
  );
}
