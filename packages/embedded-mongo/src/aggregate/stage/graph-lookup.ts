import { CommandError } from "../../query/error.ts";
import { wholeNumber } from "../../query/numeric.ts";
import { type Doc, isDoc, isNumeric, type Value } from "../../query/value.ts";
import { namedOperands } from "../expression/operator.ts";
import { keyOf, ValueSet } from "../expression/set.ts";
import { compileExpression, fieldPath, valueAtPath } from "../expression.ts";
import { type StageCompiler, type StageScope } from "./stage.ts";
import { setPath } from "./unwind.ts";

const REQUIRED = ["from", "startWith", "connectFromField", "connectToField", "as"];
const OPTIONAL = ["maxDepth", "depthField", "restrictSearchWithMatch"];

/** Follows a field from document to document, breadth first, each document once. */
export const graphLookup: StageCompiler = (spec, scope) => {
  const fields = namedOperands(spec, "$graphLookup", REQUIRED, OPTIONAL);
  const start = compileExpression(fields.get("startWith") ?? null, scope);
  const as = fieldPath(text(fields, "as"));
  const walk = walker(fields, scope);
  return async function* looked(input) {
    for await (const doc of input) {
      yield setPath(doc, as, await walk(start(doc)));
    }
  };
};

function walker(fields: Doc, scope: StageScope): (start: Value | undefined) => Promise<Doc[]> {
  const from = text(fields, "from");
  const target = text(fields, "connectToField");
  const follow = fieldPath(text(fields, "connectFromField"));
  const depthField = fields.has("depthField") ? fieldPath(text(fields, "depthField")) : undefined;
  const restriction = fields.get("restrictSearchWithMatch") ?? new Map<string, Value>();
  const depth = fields.get("maxDepth");
  const maxDepth = depth === undefined ? Infinity : depthOf(depth);
  if (!isDoc(restriction)) {
    throw new CommandError(40185, "restrictSearchWithMatch must be an object");
  }
  return async (first) => {
    const found: Doc[] = [];
    const seen = new Set<string>();
    const asked = new ValueSet();
    let frontier = valuesOf(first);
    for (let level = 0; level <= maxDepth && frontier.length > 0; level += 1) {
      const wanted = new Map([[target, new Map([["$in", frontier]])]]);
      const filter = restriction.size === 0 ? wanted : new Map([["$and", [wanted, restriction]]]);
      for (const value of frontier) {
        asked.add(value);
      }
      const next = new ValueSet();
      for await (const doc of scope.context.lookup(from, filter)) {
        const key = keyOf(doc.get("_id") ?? doc);
        if (seen.has(key)) {
          continue;
        }
        seen.add(key);
        found.push(depthField ? setPath(doc, depthField, BigInt(level)) : doc);
        for (const value of valuesOf(valueAtPath(doc, follow, 0))) {
          if (!asked.has(value)) {
            next.add(value);
          }
        }
      }
      frontier = next.values();
    }
    return found;
  };
}

function valuesOf(value: Value | undefined): Value[] {
  if (value === undefined) {
    return [];
  }
  return Array.isArray(value) ? value : [value];
}

function text(fields: Doc, name: string): string {
  const value = fields.get(name);
  if (typeof value === "string") {
    return value;
  }
  throw new CommandError(40103, `expected string as argument for ${name}`);
}

function depthOf(value: Value): number {
  const depth = isNumeric(value) ? wholeNumber(value) : undefined;
  if (depth === undefined || depth < 0n) {
    throw new CommandError(40101, "maxDepth requires a nonnegative argument");
  }
  return Number(depth);
}
