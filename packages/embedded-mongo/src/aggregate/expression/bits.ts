import { Int32 } from "bson";
import { CommandError } from "../../query/error.ts";
import { isNullish, type Value } from "../../query/value.ts";
import { nary, type OperatorCompiler, typeOf, unary } from "./operator.ts";

function integer(value: Value | undefined, name: string): bigint {
  if (value instanceof Int32) {
    return BigInt(value.value);
  }
  if (typeof value === "bigint") {
    return value;
  }
  throw new CommandError(
    "TypeMismatch",
    `${name} only supports int and long operands, not ${typeOf(value)}.`,
  );
}

function fold(name: string, initial: bigint, combine: (a: bigint, b: bigint) => bigint) {
  return nary(0, Number.POSITIVE_INFINITY, (values) => {
    if (values.some(isNullish)) {
      return null;
    }
    const isLong = values.some((value) => typeof value === "bigint");
    const result = values.reduce(
      (total: bigint, value) => combine(total, integer(value, name)),
      initial,
    );
    return isLong ? BigInt.asIntN(64, result) : new Int32(Number(BigInt.asIntN(32, result)));
  });
}

export const bits: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$bitAnd", fold("$bitAnd", -1n, (a, b) => a & b)],
  ["$bitOr", fold("$bitOr", 0n, (a, b) => a | b)],
  ["$bitXor", fold("$bitXor", 0n, (a, b) => a ^ b)],
  [
    "$bitNot",
    unary((value) => {
      if (isNullish(value)) {
        return null;
      }
      const result = ~integer(value, "$bitNot");
      return typeof value === "bigint" ? result : new Int32(Number(result));
    }),
  ],
]);
