import { ACCUMULATORS } from "../accumulator.ts";
import { type OperatorCompiler, operands } from "./operator.ts";

/** Accumulators as expressions: over the elements of one array, or over several operands. */
function over(name: string): OperatorCompiler {
  return (operand, compiler) => {
    const all = operands(operand, compiler, name, 0, Number.POSITIVE_INFINITY);
    return (env) => {
      const accumulator = ACCUMULATORS.get(name)?.(compiler.order);
      const values = all.map((evaluate) => evaluate(env));
      const [only] = values;
      const items = values.length === 1 && Array.isArray(only) ? only : values;
      for (const item of items) {
        accumulator?.add(item);
      }
      return accumulator?.result();
    };
  };
}

export const aggregateOperators: ReadonlyMap<string, OperatorCompiler> = new Map(
  ["$sum", "$avg", "$min", "$max", "$stdDevPop", "$stdDevSamp"].map((name) => [name, over(name)]),
);
