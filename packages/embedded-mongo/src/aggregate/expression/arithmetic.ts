import { Decimal128, Int32 } from "bson";
import {
  divideExact,
  type Exact,
  exactOf,
  remainderExact,
  roundExact,
  toDecimal128,
} from "../../query/decimal.ts";
import { CommandError } from "../../query/error.ts";
import {
  add,
  asDouble,
  decimalOperand,
  fitsInt64,
  intOrLong,
  multiply,
  wholeNumber,
} from "../../query/numeric.ts";
import { isNullish, isNumeric, type Numeric, type Value } from "../../query/value.ts";
import { binary, nary, type OperatorCompiler, typeOf, unary } from "./operator.ts";

type Maybe = Value | undefined;
type Mode = "half-even" | "trunc" | "floor" | "ceil";

function sum(values: readonly Maybe[]): Value {
  let total: Numeric = new Int32(0);
  let date: Date | undefined;
  for (const value of values) {
    if (isNullish(value)) {
      return null;
    }
    if (value instanceof Date) {
      if (date) {
        throw new CommandError(16612, "only one date allowed in an $add expression");
      }
      date = value;
    } else if (isNumeric(value)) {
      total = add(total, value, "double") ?? total;
    } else {
      throw new CommandError(
        "TypeMismatch",
        `$add only supports numeric or date types, not ${typeOf(value)}`,
      );
    }
  }
  return date ? shifted(date, asDouble(total)) : total;
}

function shifted(date: Date, millis: number): Date {
  const result = new Date(date.getTime() + Math.round(millis));
  if (Number.isNaN(result.getTime())) {
    throw new CommandError("Overflow", "date overflow");
  }
  return result;
}

function subtract(a: Maybe, b: Maybe): Value {
  if (isNullish(a) || isNullish(b)) {
    return null;
  }
  if (a instanceof Date && b instanceof Date) {
    return BigInt(a.getTime() - b.getTime());
  }
  if (a instanceof Date && isNumeric(b)) {
    return shifted(a, -asDouble(b));
  }
  if (isNumeric(a) && isNumeric(b)) {
    return add(a, negated(b), "double") ?? null;
  }
  throw new CommandError("TypeMismatch", `can't $subtract ${typeOf(b)} from ${typeOf(a)}`);
}

function negated(value: Numeric): Numeric {
  if (value instanceof Decimal128) {
    const exact = exactOf(value);
    if (typeof exact !== "string") {
      return toDecimal128({ ...exact, coefficient: -exact.coefficient });
    }
    return toDecimal128(exactOf(-Number(exact)));
  }
  if (value instanceof Int32) {
    return intOrLong(-value.value);
  }
  return typeof value === "bigint" && value === -(2n ** 63n) ? 2 ** 63 : -value;
}

function product(values: readonly Maybe[]): Value {
  let total: Numeric = new Int32(1);
  for (const value of values) {
    if (isNullish(value)) {
      return null;
    }
    if (!isNumeric(value)) {
      throw new CommandError(
        "TypeMismatch",
        `$multiply only supports numeric types, not ${typeOf(value)}`,
      );
    }
    total = multiply(total, value, "double") ?? total;
  }
  return total;
}

function divide(a: Maybe, b: Maybe): Value {
  if (isNullish(a) || isNullish(b)) {
    return null;
  }
  if (!isNumeric(a) || !isNumeric(b)) {
    throw new CommandError(
      "TypeMismatch",
      `$divide only supports numeric types, not ${typeOf(a)} and ${typeOf(b)}`,
    );
  }
  if (asDouble(b) === 0) {
    throw new CommandError("BadValue", "can't $divide by zero");
  }
  return quotient(a, b);
}

/** A double, or a decimal if one of both is. */
export function quotient(a: Numeric, b: Numeric): Numeric {
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    const [x, y] = [decimalOperand(a), decimalOperand(b)];
    if (typeof x !== "string" && typeof y !== "string") {
      return toDecimal128(divideExact(x, y));
    }
    return toDecimal128(exactOf(asDouble(a) / asDouble(b)));
  }
  return asDouble(a) / asDouble(b);
}

function modulo(a: Maybe, b: Maybe): Value {
  if (isNullish(a) || isNullish(b)) {
    return null;
  }
  if (!isNumeric(a) || !isNumeric(b)) {
    throw new CommandError(
      16611,
      `$mod only supports numeric types, not ${typeOf(a)} and ${typeOf(b)}`,
    );
  }
  if (asDouble(b) === 0) {
    throw new CommandError(16610, "can't $mod by zero");
  }
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    const [x, y] = [decimalOperand(a), decimalOperand(b)];
    if (typeof x !== "string" && typeof y !== "string") {
      return toDecimal128(remainderExact(x, y));
    }
    return toDecimal128(exactOf(asDouble(a) % asDouble(b)));
  }
  if (typeof a === "number" || typeof b === "number") {
    return asDouble(a) % asDouble(b);
  }
  const [x, y] = [wholeNumber(a) ?? 0n, wholeNumber(b) ?? 1n];
  return typeof a === "bigint" || typeof b === "bigint" ? x % y : intOrLong(x % y);
}

function numeric(name: string, compute: (value: Numeric) => Value): OperatorCompiler {
  return unary((value) => {
    if (isNullish(value)) {
      return null;
    }
    if (isNumeric(value)) {
      return compute(value);
    }
    throw new CommandError(28765, `${name} only supports numeric types, not ${typeOf(value)}`);
  });
}

/** Functions that give a double. Decimals would lose digits, so they are refused. */
export function real(name: string, compute: (value: number) => number): OperatorCompiler {
  return numeric(name, (value) => {
    refuseDecimal(name, value);
    return compute(asDouble(value));
  });
}

function refuseDecimal(name: string, value: Value): void {
  if (value instanceof Decimal128) {
    throw new CommandError("NotImplemented", `${name} of a decimal is not supported`);
  }
}

function within(
  name: string,
  code: number,
  condition: (value: number) => boolean,
  rule: string,
  compute: (value: number) => number,
): OperatorCompiler {
  return real(name, (value) => {
    if (!Number.isNaN(value) && !condition(value)) {
      throw new CommandError(code, `${name}'s argument must be ${rule}, but is ${value}`);
    }
    return compute(value);
  });
}

/** Rounds to 10^-places, keeping the type. */
function rounded(value: Numeric, places: number, mode: Mode): Value {
  const exact = exactOf(value);
  if (typeof exact === "string") {
    return value;
  }
  const result = roundExact(exact, -places, mode);
  if (value instanceof Decimal128) {
    return toDecimal128(result);
  }
  if (typeof value === "number") {
    return doubleOf(result, value);
  }
  const whole = result.coefficient * 10n ** BigInt(Math.max(result.exponent, 0));
  if (!fitsInt64(whole)) {
    throw new CommandError(51080, "invalid conversion: the result is too large");
  }
  return typeof value === "bigint" ? whole : intOrLong(whole);
}

function doubleOf(value: Exact, original: number): number {
  const result = Number(`${value.coefficient}e${value.exponent}`);
  return result === 0 && (original < 0 || Object.is(original, -0)) ? -0 : result;
}

function rounding(name: string, mode: Mode): OperatorCompiler {
  return nary(1, 2, ([value, places]) => {
    if (isNullish(value)) {
      return null;
    }
    if (!isNumeric(value)) {
      throw new CommandError(51081, `${name} only supports numeric types, not ${typeOf(value)}`);
    }
    if (places === null) {
      return null;
    }
    if (places === undefined) {
      return rounded(value, 0, mode);
    }
    const count = isNumeric(places) ? wholeNumber(places) : undefined;
    if (count === undefined || count < -20n || count > 100n) {
      throw new CommandError(
        51082,
        `precision argument to ${name} must be an integer from -20 to 100`,
      );
    }
    return rounded(value, Number(count), mode);
  });
}

function power(base: Maybe, exponent: Maybe): Value {
  if (isNullish(base) || isNullish(exponent)) {
    return null;
  }
  if (!isNumeric(base) || !isNumeric(exponent)) {
    const [name, value] = isNumeric(base) ? ["exponent", exponent] : ["base", base];
    throw new CommandError(28762, `$pow's ${name} must be numeric, not ${typeOf(value)}`);
  }
  refuseDecimal("$pow", base);
  refuseDecimal("$pow", exponent);
  const [x, y] = [asDouble(base), asDouble(exponent)];
  if (x === 0 && y < 0) {
    throw new CommandError(28764, "$pow cannot take a base of 0 and a negative exponent");
  }
  const result = x ** y;
  if (typeof base === "number" || typeof exponent === "number" || y < 0) {
    return result;
  }
  if (Math.abs(result) > 2 ** 64) {
    return result;
  }
  const integer = (wholeNumber(base) ?? 0n) ** (wholeNumber(exponent) ?? 0n);
  if (!fitsInt64(integer)) {
    return result;
  }
  return typeof base === "bigint" || typeof exponent === "bigint" ? integer : intOrLong(integer);
}

function logarithm(value: Maybe, base: Maybe): Value {
  if (isNullish(value) || isNullish(base)) {
    return null;
  }
  if (!isNumeric(value) || !isNumeric(base)) {
    throw new CommandError(
      28756,
      `$log's arguments must be numeric, not ${typeOf(value)} and ${typeOf(base)}`,
    );
  }
  refuseDecimal("$log", value);
  refuseDecimal("$log", base);
  const [x, y] = [asDouble(value), asDouble(base)];
  if (x <= 0) {
    throw new CommandError(28758, `$log's argument must be a positive number, but is ${x}`);
  }
  if (y <= 0 || y === 1) {
    throw new CommandError(
      28759,
      `$log's base must be a positive number not equal to 1, but is ${y}`,
    );
  }
  return Math.log(x) / Math.log(y);
}

const positive = (value: number): boolean => value > 0;
const many = Number.POSITIVE_INFINITY;

export const arithmetic: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$add", nary(0, many, sum)],
  ["$subtract", binary(subtract)],
  ["$multiply", nary(0, many, product)],
  ["$divide", binary(divide)],
  ["$mod", binary(modulo)],
  ["$abs", numeric("$abs", (value) => (asDouble(value) < 0 ? negated(value) : value))],
  ["$ceil", numeric("$ceil", (value) => rounded(value, 0, "ceil"))],
  ["$floor", numeric("$floor", (value) => rounded(value, 0, "floor"))],
  ["$round", rounding("$round", "half-even")],
  ["$trunc", rounding("$trunc", "trunc")],
  ["$pow", binary(power)],
  ["$log", binary(logarithm)],
  ["$exp", real("$exp", Math.exp)],
  ["$sqrt", within("$sqrt", 28714, (value) => value >= 0, "greater than or equal to 0", Math.sqrt)],
  ["$ln", within("$ln", 28766, positive, "a positive number", Math.log)],
  ["$log10", within("$log10", 28761, positive, "a positive number", Math.log10)],
]);
