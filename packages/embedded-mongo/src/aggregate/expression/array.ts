import { Int32 } from "bson";
import { compareValues, valuesEqual } from "../../query/compare.ts";
import { CommandError } from "../../query/error.ts";
import { isTruthy } from "../../query/match/field-operators.ts";
import { asDouble, wholeNumber } from "../../query/numeric.ts";
import { compileSort } from "../../query/sort.ts";
import { isDoc, isNullish, isNumeric, type Value } from "../../query/value.ts";
import { binary, named, nary, type OperatorCompiler, typeOf, unary } from "./operator.ts";

type Maybe = Value | undefined;
const many = Number.POSITIVE_INFINITY;

/** The array, null for a nullish value, and an error for anything else. */
export function arrayOrNull(value: Maybe, code: number, message: string): Value[] | null {
  if (isNullish(value)) {
    return null;
  }
  if (Array.isArray(value)) {
    return value;
  }
  throw new CommandError(code, `${message}, not ${typeOf(value)}`);
}

export function int32(value: Maybe, code: number, message: string): number {
  const whole = isNumeric(value) ? wholeNumber(value) : undefined;
  if (whole === undefined || BigInt.asIntN(32, whole) !== whole) {
    throw new CommandError(code, `${message}, not ${typeOf(value)}`);
  }
  return Number(whole);
}

const elementAt = binary((value, index) => {
  if (isNullish(value) || isNullish(index)) {
    return null;
  }
  const array = arrayOrNull(value, 28689, "$arrayElemAt's first argument must be an array");
  return array?.at(int32(index, 28691, "$arrayElemAt's second argument must be a 32-bit integer"));
});

function end(name: string, at: 0 | -1): OperatorCompiler {
  return unary((value) => {
    const array = arrayOrNull(value, 28689, `${name}'s argument must be an array`);
    return array === null ? null : array.at(at);
  });
}

const slice = nary(2, 3, ([value, first, second]) => {
  if (isNullish(value) || isNullish(first) || second === null) {
    return null;
  }
  const array = arrayOrNull(value, 28724, "First argument to $slice must be an array") ?? [];
  const start = int32(first, 28725, "Second argument to $slice must be a 32-bit integer");
  if (second === undefined) {
    return start < 0 ? array.slice(start) : array.slice(0, start);
  }
  const count = int32(second, 28727, "Third argument to $slice must be a 32-bit integer");
  if (count <= 0) {
    throw new CommandError(28729, `Third argument to $slice must be positive: ${count}`);
  }
  const from = start < 0 ? Math.max(0, array.length + start) : start;
  return array.slice(from, from + count);
});

const size = unary((value) => {
  if (Array.isArray(value)) {
    return new Int32(value.length);
  }
  throw new CommandError(
    17124,
    `The argument to $size must be an array, but was of type: ${typeOf(value)}`,
  );
});

const concatArrays = nary(0, many, (values) => {
  const result: Value[] = [];
  for (const value of values) {
    const array = arrayOrNull(value, 28664, "$concatArrays only supports arrays");
    if (array === null) {
      return null;
    }
    result.push(...array);
  }
  return result;
});

const isIn = binary((value, list, { order }) => {
  if (!Array.isArray(list)) {
    throw new CommandError(
      40081,
      `$in requires an array as a second argument, found: ${typeOf(list)}`,
    );
  }
  return list.some((item) => valuesEqual(item, value, order));
});

const indexOfArray = nary(2, 4, ([value, wanted, start, stop], { order }) => {
  if (isNullish(value)) {
    return null;
  }
  const array =
    arrayOrNull(value, 40090, "$indexOfArray requires an array as a first argument") ?? [];
  const message = "$indexOfArray requires integral indexes";
  const from = start === undefined ? 0 : int32(start, 40096, message);
  const to =
    stop === undefined ? array.length : Math.min(array.length, int32(stop, 40096, message));
  if (from < 0 || to < 0) {
    throw new CommandError(40097, "$indexOfArray requires nonnegative indexes");
  }
  for (let i = from; i < to; i += 1) {
    if (valuesEqual(array[i], wanted, order)) {
      return new Int32(i);
    }
  }
  return new Int32(-1);
});

const range = nary(2, 3, ([first, last, by]) => {
  const from = int32(first, 34443, "$range requires a numeric starting value of a 32-bit integer");
  const to = int32(last, 34445, "$range requires a numeric ending value of a 32-bit integer");
  const step = by === undefined ? 1 : int32(by, 34447, "$range requires a numeric step value");
  if (step === 0) {
    throw new CommandError(34449, "$range requires a non-zero step value");
  }
  const result: Value[] = [];
  for (let i = from; step > 0 ? i < to : i > to; i += step) {
    result.push(new Int32(i));
  }
  return result;
});

const reverse = unary((value) => {
  const array = arrayOrNull(value, 34435, "The argument to $reverseArray must be an array");
  return array === null ? null : [...array].reverse();
});

const zip = named(["inputs"], ["useLongestLength", "defaults"], (argument) => {
  const inputs = argument("inputs");
  if (!Array.isArray(inputs)) {
    throw new CommandError(34461, "inputs must be an array of expressions");
  }
  const arrays: Value[][] = [];
  for (const input of inputs) {
    const array = arrayOrNull(input, 34468, "$zip found a non-array expression in input");
    if (array === null) {
      return null;
    }
    arrays.push(array);
  }
  const defaults = argument("defaults");
  const lengths = arrays.map(({ length }) => length);
  const length =
    argument("useLongestLength") === true ? Math.max(0, ...lengths) : Math.min(...lengths);
  return Array.from({ length }, (_, i) =>
    arrays.map(
      (array, j) => array[i] ?? (Array.isArray(defaults) ? defaults[j] : undefined) ?? null,
    ),
  );
});

const sortArray: OperatorCompiler = (operand, compiler, name) => {
  const sortBy = isDoc(operand) ? operand.get("sortBy") : undefined;
  const { order } = compiler;
  const sort = isDoc(sortBy) ? compileSort(sortBy, order ? { order } : {}) : undefined;
  const direction = isNumeric(sortBy) ? asDouble(sortBy) : 1;
  if (!sort && direction !== 1 && direction !== -1) {
    throw new CommandError(2942507, "Illegal key in $sortArray specification");
  }
  const byDocument = (a: Value, b: Value): number =>
    sort?.compare(isDoc(a) ? a : new Map(), isDoc(b) ? b : new Map()) ?? 0;
  const byValue = (a: Value, b: Value): number => compareValues(a, b, order) * direction;
  const literal: Value = isDoc(sortBy) ? new Map([["$literal", sortBy]]) : (sortBy ?? null);
  const spec =
    isDoc(operand) && isDoc(sortBy) ? new Map([...operand, ["sortBy", literal]]) : operand;
  return named(["input", "sortBy"], [], (argument) => {
    const array = arrayOrNull(
      argument("input"),
      2942504,
      "The input argument to $sortArray must be an array",
    );
    return array === null ? null : [...array].sort(sort ? byDocument : byValue);
  })(spec, compiler, name);
};

function quantifier(name: string, code: number, all: boolean): OperatorCompiler {
  return unary((value) => {
    if (!Array.isArray(value)) {
      throw new CommandError(code, `${name}'s argument must be an array, but is ${typeOf(value)}`);
    }
    return all ? value.every(isTruthy) : value.some(isTruthy);
  });
}

/** $firstN, $lastN, $minN and $maxN of an array. */
function several(
  name: string,
  pick: (array: Value[], n: number, order: typeof compareValues) => Value[],
) {
  return named(["n", "input"], [], (argument, _given, { order }) => {
    const n = int32(argument("n"), 5787902, `'n' of ${name} must be a 32-bit integer`);
    if (n <= 0) {
      throw new CommandError(5787908, `'n' must be greater than 0, found ${n}`);
    }
    const input = argument("input");
    if (!Array.isArray(input)) {
      throw new CommandError(
        5788200,
        `${name} requires 'input' to be an array, found ${typeOf(input)}`,
      );
    }
    return pick(input, n, (a, b) => compareValues(a, b, order));
  });
}

export const arrays: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$arrayElemAt", elementAt],
  ["$first", end("$first", 0)],
  ["$last", end("$last", -1)],
  ["$firstN", several("$firstN", (array, n) => array.slice(0, n))],
  ["$lastN", several("$lastN", (array, n) => array.slice(-n))],
  ["$minN", several("$minN", (array, n, order) => present(array).sort(order).slice(0, n))],
  [
    "$maxN",
    several("$maxN", (array, n, order) =>
      present(array)
        .sort((a, b) => order(b, a))
        .slice(0, n),
    ),
  ],
  ["$slice", slice],
  ["$size", size],
  ["$concatArrays", concatArrays],
  ["$in", isIn],
  ["$indexOfArray", indexOfArray],
  ["$isArray", unary((value) => Array.isArray(value))],
  ["$range", range],
  ["$reverseArray", reverse],
  ["$zip", zip],
  ["$sortArray", sortArray],
  ["$allElementsTrue", quantifier("$allElementsTrue", 17040, true)],
  ["$anyElementTrue", quantifier("$anyElementTrue", 17041, false)],
]);

function present(array: readonly Value[]): Value[] {
  return array.filter((value) => !isNullish(value));
}
