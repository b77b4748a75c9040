import { Int32 } from "bson";
import { compareValues } from "../../query/compare.ts";
import { describe } from "../../query/describe.ts";
import { CommandError } from "../../query/error.ts";
import { compileSort } from "../../query/sort.ts";
import { type Doc, isDoc, isNullish, type Value } from "../../query/value.ts";
import { ACCUMULATORS } from "../accumulator.ts";
import { int32 } from "../expression/array.ts";
import { namedOperands } from "../expression/operator.ts";
import { compileExpression } from "../expression.ts";
import type { StageScope } from "./stage.ts";

export interface GroupAccumulator {
  add(doc: Doc): void;
  result(): Value | undefined;
}

/** The accumulator of one field of a $group: how to start one for each group. */
export function compileAccumulator(
  name: string,
  operand: Value,
  scope: StageScope,
): () => GroupAccumulator {
  if (name === "$count") {
    return countDocuments(operand, scope);
  }
  if (/^\$(?:first|last|min|max)N$/.test(name)) {
    return several(name, operand, scope);
  }
  if (/^\$(?:top|bottom)N?$/.test(name)) {
    return ranked(name, operand, scope);
  }
  const factory = ACCUMULATORS.get(name);
  if (factory === undefined) {
    throw new CommandError(15952, `unknown group operator '${name}'`);
  }
  if (Array.isArray(operand) && operand.length !== 1) {
    throw new CommandError(40237, `The ${name} accumulator is a unary operator`);
  }
  const [only] = Array.isArray(operand) ? operand : [operand];
  const evaluate = compileExpression(only ?? null, scope);
  return () => {
    const accumulator = factory(scope.order);
    return {
      add: (doc) => accumulator.add(evaluate(doc)),
      result: () => accumulator.result(),
    };
  };
}

function countDocuments(operand: Value, scope: StageScope): () => GroupAccumulator {
  if (!isDoc(operand) || operand.size > 0) {
    throw new CommandError("TypeMismatch", "$count takes no arguments, i.e. $count:{}");
  }
  return compileAccumulator("$sum", new Int32(1), scope);
}

/** $firstN, $lastN, $minN, $maxN: the values are gathered and picked from at the end. */
function several(name: string, operand: Value, scope: StageScope): () => GroupAccumulator {
  const fields = namedOperands(operand, name, ["input", "n"]);
  const input = compileExpression(fields.get("input") ?? null, scope);
  const n = constantCount(fields.get("n") ?? null, scope);
  const { order } = scope;
  return () => {
    const values: Value[] = [];
    return {
      add: (doc) => {
        const value = input(doc);
        if (name === "$minN" || name === "$maxN") {
          if (!isNullish(value)) {
            values.push(value);
          }
        } else if (name === "$lastN" || values.length < n) {
          values.push(value ?? null);
        }
      },
      result: () => {
        if (name === "$firstN") {
          return values;
        }
        if (name === "$lastN") {
          return values.slice(-n);
        }
        const sign = name === "$minN" ? 1 : -1;
        return values.sort((a, b) => compareValues(a, b, order) * sign).slice(0, n);
      },
    };
  };
}

/** $top, $bottom and their N forms: outputs by the order of documents. */
function ranked(name: string, operand: Value, scope: StageScope): () => GroupAccumulator {
  const isSingle = !name.endsWith("N");
  const fields = namedOperands(
    operand,
    name,
    isSingle ? ["sortBy", "output"] : ["sortBy", "output", "n"],
  );
  const sortBy = fields.get("sortBy");
  if (!isDoc(sortBy)) {
    throw new CommandError(
      10065,
      `invalid parameter: expected an object (sortBy): ${describe(sortBy)}`,
    );
  }
  const sort = compileSort(sortBy, scope.order ? { order: scope.order } : {});
  const output = compileExpression(fields.get("output") ?? null, scope);
  const n = isSingle ? 1 : constantCount(fields.get("n") ?? null, scope);
  return () => {
    const rows: { key: Value[]; value: Value }[] = [];
    return {
      add: (doc) => rows.push({ key: sort.keyOf(doc), value: output(doc) ?? null }),
      result: () => {
        rows.sort((a, b) => sort.compareKeys(a.key, b.key));
        const chosen = (name.startsWith("$top") ? rows.slice(0, n) : rows.slice(-n)).map(
          ({ value }) => value,
        );
        return isSingle ? chosen[0] : chosen;
      },
    };
  };
}

function constantCount(spec: Value, scope: StageScope): number {
  const n = int32(
    compileExpression(spec, scope)(new Map()),
    5787902,
    "Value for 'n' must be of integral type",
  );
  if (n <= 0) {
    throw new CommandError(5787908, `'n' must be greater than 0, found ${n}`);
  }
  return n;
}
