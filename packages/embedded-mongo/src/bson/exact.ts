import { Decimal128, Int32 } from "bson";
import type { Numeric } from "./value.ts";

/** An exact finite number: coefficient × 10^exponent. Every double, integer and decimal fits. */
export interface Exact {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const bias = 6176;

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
  const exponent = Number((high >> 49n) & 0x3fffn) - bias;
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
