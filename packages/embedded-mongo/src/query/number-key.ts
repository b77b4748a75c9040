import { Decimal128, Int32 } from "bson";
import { compareExact, digitCount, type Exact, exactOf, toDouble, trimmed } from "./decimal.ts";
import type { Numeric } from "./value.ts";

const scratch = new DataView(new ArrayBuffer(8));
const EXPONENT_BIAS = 0x4000;

/**
 * Bytes that order numbers of all types by value: the greatest double that is not above the
 * number, then 0 if that is the number itself, else 1 and its exact decimal digits.
 */
export function encodeNumber(value: Numeric): number[] {
  const exact = value instanceof Decimal128 || typeof value === "bigint" ? exactOf(value) : null;
  if (exact === null)
    return [...orderedDouble(value instanceof Int32 ? value.value : Number(value)), 0];
  if (typeof exact === "string") return [...orderedDouble(Number(exact)), 0];
  const floor = floorDouble(exact);
  const floorExact = exactOf(floor);
  if (typeof floorExact !== "string" && compareExact(floorExact, exact) === 0) {
    return [...orderedDouble(floor), 0];
  }
  return [...orderedDouble(floor), 1, ...exactDigits(exact)];
}

/** Sign-flipped IEEE bits, so that byte order is numeric order. NaN is all zeros, before -∞. */
function orderedDouble(value: number): number[] {
  if (Number.isNaN(value)) return [0, 0, 0, 0, 0, 0, 0, 0];
  scratch.setFloat64(0, value === 0 ? 0 : value);
  const negative = value < 0;
  const bytes: number[] = [];
  for (let i = 0; i < 8; i += 1) {
    const byte = scratch.getUint8(i);
    bytes.push(negative ? 255 - byte : i === 0 ? byte | 0x80 : byte);
  }
  return bytes;
}

function floorDouble(value: Exact): number {
  const nearest = toDouble(value);
  const exact = exactOf(nearest);
  if (exact === "Infinity") return Number.MAX_VALUE;
  if (typeof exact === "string") return -Infinity;
  return compareExact(exact, value) > 0 ? nextDown(nearest) : nearest;
}

function nextDown(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  scratch.setFloat64(0, value);
  scratch.setBigUint64(0, scratch.getBigUint64(0) + (value > 0 ? -1n : 1n));
  return scratch.getFloat64(0);
}

/** Scientific exponent, then the digits, ended by 0; inverted for negative numbers. */
function exactDigits(value: Exact): number[] {
  const { coefficient, exponent } = trimmed(value);
  const negative = coefficient < 0n;
  const scientific = digitCount(coefficient) + exponent + EXPONENT_BIAS;
  const digits = (negative ? -coefficient : coefficient).toString();
  const bytes = [scientific >> 8, scientific & 0xff];
  for (const digit of digits) bytes.push(Number(digit) + 1);
  bytes.push(0);
  return negative ? bytes.map((byte) => 255 - byte) : bytes;
}
