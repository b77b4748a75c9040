import { Decimal128, Int32 } from "bson";
import type { Numeric } from "./value.ts";

/** An exact finite number: coefficient × 10^exponent. Every double, integer and decimal fits. */
export interface Exact {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const DIGITS = 34;
const MAX_EXPONENT = 6111;
const MIN_EXPONENT = -6176;
const BIAS = 6176;

type Special = "NaN" | "Infinity" | "-Infinity";

/** The exact value of a number of any BSON type, or its special value. */
export function exactOf(value: Numeric): Exact | Special {
  if (typeof value === "bigint") {
    return { coefficient: value, exponent: 0 };
  }
  if (value instanceof Int32) {
    return { coefficient: BigInt(value.value), exponent: 0 };
  }
  if (typeof value === "number") {
    return exactDouble(value);
  }
  return exactDecimal(value);
}

const doubleBits = new DataView(new ArrayBuffer(8));

function exactDouble(value: number): Exact | Special {
  if (Number.isNaN(value)) {
    return "NaN";
  }
  if (value === Infinity) {
    return "Infinity";
  }
  if (value === -Infinity) {
    return "-Infinity";
  }
  if (Number.isInteger(value)) {
    return { coefficient: BigInt(value), exponent: 0 };
  }
  doubleBits.setFloat64(0, value);
  const bits = doubleBits.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  // A non-integer double is mantissa / 2^shift = mantissa × 5^shift / 10^shift.
  const shift = 1075 - Math.max(biased, 1);
  const magnitude = mantissa * 5n ** BigInt(shift);
  return trimmed({ coefficient: value < 0 ? -magnitude : magnitude, exponent: -shift });
}

function exactDecimal(value: Decimal128): Exact | Special {
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset, 16);
  const high = view.getBigUint64(8, true);
  const negative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0x1f) {
    return "NaN";
  }
  if (combination === 0x1e) {
    return negative ? "-Infinity" : "Infinity";
  }
  // A coefficient of the second form exceeds 34 digits and counts as zero.
  if (combination >> 3 === 3) {
    return { coefficient: 0n, exponent: 0 };
  }
  const exponent = Number((high >> 49n) & 0x3fffn) - BIAS;
  const magnitude = ((high & 0x1ffffffffffffn) << 64n) | view.getBigUint64(0, true);
  return { coefficient: negative ? -magnitude : magnitude, exponent };
}

/** The same value with no trailing zeros in its coefficient. */
export function trimmed(value: Exact): Exact {
  let { coefficient, exponent } = value;
  if (coefficient === 0n) {
    return { coefficient, exponent: 0 };
  }
  while (coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent += 1;
  }
  return { coefficient, exponent };
}

export function compareExact(a: Exact, b: Exact): number {
  const signA = sign(a.coefficient);
  const signB = sign(b.coefficient);
  if (signA !== signB) {
    return signA - signB;
  }
  if (signA === 0) {
    return 0;
  }
  const magnitude = digitCount(a.coefficient) + a.exponent - digitCount(b.coefficient) - b.exponent;
  if (magnitude !== 0) {
    return magnitude > 0 ? signA : -signA;
  }
  const exponent = Math.min(a.exponent, b.exponent);
  return sign(scaled(a, exponent) - scaled(b, exponent));
}

export function addExact(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  return { coefficient: scaled(a, exponent) + scaled(b, exponent), exponent };
}

export function multiplyExact(a: Exact, b: Exact): Exact {
  return { coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent };
}

/** a / b with more digits than a decimal128 holds, so that its rounding is right. */
export function divideExact(a: Exact, b: Exact): Exact {
  const shift = Math.max(0, DIGITS + 6 + digitCount(b.coefficient) - digitCount(a.coefficient));
  const numerator = a.coefficient * 10n ** BigInt(shift);
  let coefficient = numerator / b.coefficient;
  const exponent = a.exponent - b.exponent - shift;
  const isExact = coefficient * b.coefficient === numerator;
  if (isExact) {
    return preferExponent({ coefficient, exponent }, a.exponent - b.exponent);
  }
  // A sticky digit keeps an inexact quotient from looking like a tie.
  coefficient = coefficient * 10n + (numerator < 0n === b.coefficient < 0n ? 1n : -1n);
  return { coefficient, exponent: exponent - 1 };
}

function preferExponent(value: Exact, exponent: number): Exact {
  let result = value;
  while (result.exponent < exponent && result.coefficient % 10n === 0n) {
    result = { coefficient: result.coefficient / 10n, exponent: result.exponent + 1 };
  }
  return result;
}

/** a mod b with the sign of a. */
export function remainderExact(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  return { coefficient: scaled(a, exponent) % scaled(b, exponent), exponent };
}

/** Rounds to `exponent` by the given mode, e.g. exponent 0 for a whole number. */
export function roundExact(
  value: Exact,
  exponent: number,
  mode: "half-even" | "trunc" | "floor" | "ceil",
): Exact {
  if (value.exponent >= exponent) {
    return value;
  }
  const unit = 10n ** BigInt(exponent - value.exponent);
  let quotient = value.coefficient / unit;
  const rest = value.coefficient - quotient * unit;
  if (rest === 0n) {
    return { coefficient: quotient, exponent };
  }
  const direction = rest < 0n ? -1n : 1n;
  const twice = rest * direction * 2n;
  const awayFromZero =
    mode === "half-even"
      ? twice > unit || (twice === unit && quotient % 2n !== 0n)
      : (mode === "floor" && direction < 0n) || (mode === "ceil" && direction > 0n);
  if (awayFromZero) {
    quotient += direction;
  }
  return { coefficient: quotient, exponent };
}

/** The nearest decimal128 (34 digits, ties to even); too large becomes infinite. */
export function toDecimal128(value: Exact | Special): Decimal128 {
  if (typeof value === "string") {
    return Decimal128.fromString(value);
  }
  let rounded = value;
  const excess = digitCount(rounded.coefficient) - DIGITS;
  if (excess > 0) {
    rounded = roundExact(rounded, rounded.exponent + excess, "half-even");
  }
  if (digitCount(rounded.coefficient) > DIGITS) {
    rounded = { coefficient: rounded.coefficient / 10n, exponent: rounded.exponent + 1 };
  }
  if (rounded.exponent < MIN_EXPONENT) {
    rounded = roundExact(rounded, MIN_EXPONENT, "half-even");
  }
  while (rounded.exponent > MAX_EXPONENT && digitCount(rounded.coefficient) < DIGITS) {
    rounded = { coefficient: rounded.coefficient * 10n, exponent: rounded.exponent - 1 };
  }
  if (rounded.exponent > MAX_EXPONENT && rounded.coefficient !== 0n) {
    return Decimal128.fromString(rounded.coefficient < 0n ? "-Infinity" : "Infinity");
  }
  return Decimal128.fromString(
    `${rounded.coefficient}E${Math.min(rounded.exponent, MAX_EXPONENT)}`,
  );
}

/** The double nearest to an exact value. */
export function toDouble(value: Exact): number {
  return Number(`${value.coefficient}e${value.exponent}`);
}

function scaled(value: Exact, exponent: number): bigint {
  return value.coefficient * 10n ** BigInt(value.exponent - exponent);
}

function sign(value: bigint): number {
  return value === 0n ? 0 : value > 0n ? 1 : -1;
}

export function digitCount(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}
