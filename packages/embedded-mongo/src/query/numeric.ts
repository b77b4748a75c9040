import { Decimal128, Int32 } from "bson";
import { addExact, exactOf, multiplyExact, roundExact, toDecimal128, toDouble } from "./decimal.ts";
import type { Numeric } from "./value.ts";

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

export function asDouble(value: Numeric): number {
  if (typeof value === "number") {
    return value;
  }
  if (value instanceof Int32) {
    return value.value;
  }
  if (typeof value === "bigint") {
    return Number(value);
  }
  const exact = exactOf(value);
  return typeof exact === "string" ? Number(exact) : toDouble(exact);
}

/** The integer of a number that has no fraction and fits an int64; else undefined. */
export function wholeNumber(value: Numeric): bigint | undefined {
  const exact = exactOf(value);
  if (typeof exact === "string") {
    return undefined;
  }
  const whole = roundExact(exact, 0, "trunc");
  const integer = whole.coefficient * 10n ** BigInt(whole.exponent);
  const isWhole =
    exact.exponent >= 0 || integer * 10n ** BigInt(-exact.exponent) === exact.coefficient;
  return isWhole && fitsInt64(integer) ? integer : undefined;
}

/** The number without its fraction, held to the range of an int64. */
export function truncatedInt64(value: Numeric): bigint | undefined {
  const exact = exactOf(value);
  if (exact === "NaN") {
    return undefined;
  }
  if (exact === "Infinity") {
    return INT64_MAX;
  }
  if (exact === "-Infinity") {
    return INT64_MIN;
  }
  const { coefficient, exponent } = roundExact(exact, 0, "trunc");
  const integer = coefficient * 10n ** BigInt(exponent);
  return integer > INT64_MAX ? INT64_MAX : integer < INT64_MIN ? INT64_MIN : integer;
}

export function fitsInt64(value: bigint): boolean {
  return value <= INT64_MAX && value >= INT64_MIN;
}

/** The narrowest integer type, int32 if it fits. */
export function intOrLong(value: number | bigint): Int32 | bigint {
  const isInt32 = value >= -2147483648 && value <= 2147483647;
  return isInt32 ? new Int32(Number(value)) : BigInt(value);
}

/** A sum in the wider of both types: an int32 grows to a long, a long that overflows to `overflow`. */
export function add(a: Numeric, b: Numeric, overflow: "double" | "fail"): Numeric | undefined {
  return combine(a, b, overflow, {
    integers: (x, y) => x + y,
    doubles: (x, y) => x + y,
    exact: addExact,
  });
}

export function multiply(a: Numeric, b: Numeric, overflow: "double" | "fail"): Numeric | undefined {
  return combine(a, b, overflow, {
    integers: (x, y) => x * y,
    doubles: (x, y) => x * y,
    exact: multiplyExact,
  });
}

interface Operation {
  integers(a: bigint, b: bigint): bigint;
  doubles(a: number, b: number): number;
  readonly exact: typeof addExact;
}

function combine(
  a: Numeric,
  b: Numeric,
  overflow: "double" | "fail",
  operation: Operation,
): Numeric | undefined {
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    const [x, y] = [decimalOperand(a), decimalOperand(b)];
    if (typeof x !== "string" && typeof y !== "string") {
      return toDecimal128(operation.exact(x, y));
    }
    return toDecimal128(exactOf(operation.doubles(asDouble(a), asDouble(b))));
  }
  if (typeof a === "number" || typeof b === "number") {
    return operation.doubles(asDouble(a), asDouble(b));
  }
  const isLong = typeof a === "bigint" || typeof b === "bigint";
  const [x, y] = [integerOf(a), integerOf(b)];
  const result = operation.integers(x, y);
  if (!fitsInt64(result)) {
    return overflow === "fail" ? undefined : operation.doubles(Number(x), Number(y));
  }
  return isLong ? result : intOrLong(result);
}

/** A double meets decimals with 15 significant digits, as MongoDB converts it. */
export function decimalOperand(value: Numeric): ReturnType<typeof exactOf> {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    return exactOf(value);
  }
  const [digits = "0", exponent = "0"] = value.toExponential(14).split("e");
  return { coefficient: BigInt(digits.replace(".", "")), exponent: Number(exponent) - 14 };
}

function integerOf(value: Int32 | bigint): bigint {
  return typeof value === "bigint" ? value : BigInt(value.value);
}
