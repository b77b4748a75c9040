import { BSONRegExp } from "bson";
import { CommandError } from "./error.ts";
import { isOperatorDoc } from "./match/comparison.ts";
import { changeAt } from "./update/update-path.ts";
import { type Doc, isDoc, type Value } from "./value.ts";

/** The document that an upsert starts from: the equality conditions of its filter. */
export function upsertSeed(filter: Doc): Doc {
  const equalities = new Map<string, Value>();
  collect(filter, equalities);
  const seed: Doc = new Map();
  for (const [path, value] of equalities) {
    const names = path.split(".");
    for (let i = 1; i < names.length; i += 1) {
      const parent = names.slice(0, i).join(".");
      if (equalities.has(parent)) {
        throw new CommandError(
          "NotSingleValueField",
          `cannot infer query fields to set, both paths '${path}' and '${parent}' are matched`,
        );
      }
    }
    changeAt(seed, names, true, () => value);
  }
  return seed;
}

function collect(filter: Doc, found: Map<string, Value>): void {
  for (const [name, spec] of filter) {
    if (name === "$and" || (name === "$or" && Array.isArray(spec) && spec.length === 1)) {
      if (Array.isArray(spec)) for (const clause of spec) if (isDoc(clause)) collect(clause, found);
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
  if (!isOperatorDoc(spec)) return spec instanceof BSONRegExp ? [] : [spec];
  const values: Value[] = [];
  const equal = spec.get("$eq");
  if (equal !== undefined) values.push(equal);
  const all = spec.get("$all");
  if (Array.isArray(all)) {
    values.push(...all.filter((item) => !isOperatorDoc(item) && !(item instanceof BSONRegExp)));
  }
  return values;
}
