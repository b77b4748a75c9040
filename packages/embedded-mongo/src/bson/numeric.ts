import { Decimal128, Int32 } from "bson";
import { exactOf, toDouble } from "./exact.ts";
import type { Numeric } from "./value.ts";

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);
/** No decimal with an exponent beyond it is a long. */
const maxDigits = 40;

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
  const { coefficient, exponent } = exact;
  if (coefficient === 0n) {
    return 0n;
  }
  if (exponent > maxDigits) {
    return undefined;
  }
  const scale = 10n ** BigInt(Math.abs(exponent));
  if (exponent < 0 && coefficient % scale !== 0n) {
    return undefined;
  }
  const whole = exponent < 0 ? coefficient / scale : coefficient * scale;
  return fitsInt64(whole) ? whole : undefined;
}

export function fitsInt64(value: bigint): boolean {
  return value <= int64Max && value >= int64Min;
}

/** The narrowest integer type, int32 if it fits. */
export function intOrLong(value: number | bigint): Int32 | bigint {
  const isInt32 = value >= -2147483648 && value <= 2147483647;
  return isInt32 ? new Int32(Number(value)) : BigInt(value);
}

/**
 * A sum in the wider of both types: an int32 grows to a long. Undefined for a long that overflows,
 * and for decimals, which are stored and compared but not computed with.
 */
export function add(a: Numeric, b: Numeric): Numeric | undefined {
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    return undefined;
  }
  if (typeof a === "number" || typeof b === "number") {
    return asDouble(a) + asDouble(b);
  }
  const sum = integerOf(a) + integerOf(b);
  if (!fitsInt64(sum)) {
    return undefined;
  }
  return typeof a === "bigint" || typeof b === "bigint" ? sum : intOrLong(sum);
}

function integerOf(value: Int32 | bigint): bigint {
  return typeof value === "bigint" ? value : BigInt(value.value);
}
