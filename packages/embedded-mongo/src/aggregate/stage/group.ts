import { describe } from "../../query/describe.ts";
import { CommandError } from "../../query/error.ts";
import { type Doc, isDoc, type Value } from "../../query/value.ts";
import { compileExpression } from "../expression.ts";
import { compileAccumulator, type GroupAccumulator } from "./group-accumulators.ts";
import { GroupKeys } from "./group-keys.ts";
import type { StageCompiler, StageScope } from "./stage.ts";

export const group: StageCompiler = (spec, scope) => {
  if (!isDoc(spec)) {
    throw new CommandError(15947, "a group's fields must be specified in an object");
  }
  const idSpec = spec.get("_id");
  if (idSpec === undefined) {
    throw new CommandError(15955, "a group specification must include an _id");
  }
  const id = compileExpression(idSpec, scope);
  const fields = [...spec].filter(([name]) => name !== "_id");
  const accumulators = compileAccumulators(new Map(fields), scope);
  return async function* grouped(input) {
    const groups = new GroupKeys<GroupAccumulator[]>(scope.order);
    for await (const doc of input) {
      const key = id(doc) ?? null;
      const states = groups.getOrAdd(key, () => accumulators.map(([, start]) => start()));
      for (const state of states) {
        state.add(doc);
      }
    }
    for (const [key, states] of groups.entries()) {
      yield resultDoc(key, accumulators, states);
    }
  };
};

type Compiled = readonly (readonly [string, () => GroupAccumulator])[];

export function compileAccumulators(fields: Doc, scope: StageScope): Compiled {
  return [...fields].map(([name, spec]) => {
    if (name.includes(".")) {
      throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
    }
    if (name.startsWith("$")) {
      throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
    }
    if (!isDoc(spec)) {
      throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
    }
    const [operator, operand] = [...spec][0] ?? [];
    if (operator === undefined || operand === undefined || spec.size !== 1) {
      throw new CommandError(
        40238,
        `The field '${name}' must specify one accumulator: ${describe(spec)}`,
      );
    }
    return [name, compileAccumulator(operator, operand, scope)] as const;
  });
}

export function resultDoc(
  id: Value,
  accumulators: Compiled,
  states: readonly GroupAccumulator[],
): Doc {
  const result: Doc = new Map([["_id", id]]);
  for (const [i, [name]] of accumulators.entries()) {
    const value = states[i]?.result();
    if (value !== undefined) {
      result.set(name, value);
    }
  }
  return result;
}
