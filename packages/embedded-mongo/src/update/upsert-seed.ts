import { BSONRegExp } from "bson";
import { CommandError } from "../bson/command-error.ts";
import { type Doc, isDoc, type Value } from "../bson/value.ts";
import { isOperatorDoc } from "../match/equality.ts";
import { changeAt } from "./update-path.ts";

/**
 * The document that an upsert starts from: the equality conditions of its filter. A replacement
 * takes the whole _id from it, which parts of one can't give.
 */
export function upsertSeed(filter: Doc, isReplacement = false): Doc {
  const equalities = new Map<string, Value>();
  collect(filter, equalities);
  const seed: Doc = new Map();
  for (const [path, value] of equalities) {
    const names = path.split(".");
    if (isReplacement && path.startsWith("_id.")) {
      throw new CommandError(
        "NotExactValueField",
        `field at '_id' must be exactly specified, field at sub-path '${path}' found`,
      );
    }
    for (let i = 1; i < names.length; i += 1) {
      const parent = names.slice(0, i).join(".");
      if (equalities.has(parent)) {
        throw new CommandError(
          "NotSingleValueField",
          `cannot infer query fields to set, both paths '${path}' and '${parent}' are matched`,
        );
      }
    }
    changeAt(seed, names, "creates", () => value);
  }
  return seed;
}

function collect(filter: Doc, found: Map<string, Value>): void {
  for (const [name, spec] of filter) {
    if (name === "$and" || (name === "$or" && Array.isArray(spec) && spec.length === 1)) {
      if (Array.isArray(spec)) {
        for (const clause of spec) {
          if (isDoc(clause)) {
            collect(clause, found);
          }
        }
      }
    } else if (!name.startsWith("$")) {
      for (const value of equalValues(spec)) {
        if (found.has(name)) {
          throw new CommandError(
            "NotSingleValueField",
            `cannot infer query fields to set, path '${name}' is matched twice`,
          );
        }
        found.set(name, value);
      }
    }
  }
}

function equalValues(spec: Value): Value[] {
  if (!isOperatorDoc(spec)) {
    return spec instanceof BSONRegExp ? [] : [spec];
  }
  const values: Value[] = [];
  const equal = spec.get("$eq");
  if (equal !== undefined) {
    values.push(equal);
  }
  // One value in $in is an equality, as MongoDB rewrites it.
  const among = spec.get("$in");
  const [only] = Array.isArray(among) && among.length === 1 ? among : [];
  if (only !== undefined && !(only instanceof BSONRegExp)) {
    values.push(only);
  }
  const all = spec.get("$all");
  if (Array.isArray(all)) {
    values.push(...all.filter((item) => !isOperatorDoc(item) && !(item instanceof BSONRegExp)));
  }
  return values;
}
