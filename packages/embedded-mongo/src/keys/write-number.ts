import { Decimal128 } from "bson";
import { compareExact, digitCount, type Exact, exactOf, toDouble, trimmed } from "../bson/exact.ts";
import { asDouble } from "../bson/numeric.ts";
import type { Numeric } from "../bson/value.ts";
import type { KeyWriter } from "./key-writer.ts";

const scratch = new DataView(new ArrayBuffer(8));
const exponentBias = 0x4000;
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Writes bytes that order numbers of all types by value: the greatest double that is not above
 * the number, then 0 if that is the number itself, else 1 and its exact decimal digits.
 */
export function writeNumber(writer: KeyWriter, value: Numeric): void {
  const exact = value instanceof Decimal128 || isLargeLong(value) ? exactOf(value) : undefined;
  if (exact === undefined || typeof exact === "string") {
    writer.double(exact === undefined ? asDouble(value) : Number(exact));
    writer.byte(0);
    return;
  }
  const floor = floorDouble(exact);
  const floorExact = exactOf(floor);
  writer.double(floor);
  if (typeof floorExact !== "string" && compareExact(floorExact, exact) === 0) {
    writer.byte(0);
  } else {
    writer.byte(1);
    for (const byte of exactDigits(exact)) {
      writer.byte(byte);
    }
  }
}

/** Whether a long may not be a double exactly. */
function isLargeLong(value: Numeric): boolean {
  return typeof value === "bigint" && (value > maxSafe || value < -maxSafe);
}

function floorDouble(value: Exact): number {
  const nearest = toDouble(value);
  const exact = exactOf(nearest);
  if (exact === "Infinity") {
    return Number.MAX_VALUE;
  }
  if (typeof exact === "string") {
    return -Infinity;
  }
  return compareExact(exact, value) > 0 ? nextDown(nearest) : nearest;
}

function nextDown(value: number): number {
  if (value === 0) {
    return -Number.MIN_VALUE;
  }
  scratch.setFloat64(0, value);
  scratch.setBigUint64(0, scratch.getBigUint64(0) + (value > 0 ? -1n : 1n));
  return scratch.getFloat64(0);
}

/** Scientific exponent, then the digits, ended by 0; inverted for negative numbers. */
function exactDigits(value: Exact): number[] {
  const { coefficient, exponent } = trimmed(value);
  const negative = coefficient < 0n;
  const scientific = digitCount(coefficient) + exponent + exponentBias;
  const digits = (negative ? -coefficient : coefficient).toString();
  const bytes = [scientific >> 8, scientific & 0xff];
  for (const digit of digits) {
    bytes.push(Number(digit) + 1);
  }
  bytes.push(0);
  return negative ? bytes.map((byte) => 255 - byte) : bytes;
}
