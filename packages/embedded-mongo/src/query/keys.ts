import { Binary, BSONRegExp, BSONSymbol, Code, ObjectId, Timestamp } from "bson";
import { typeRank } from "./compare.ts";
import { encodeNumber } from "./number-key.ts";
import { DbPointer, isDoc, isNumeric, type Value } from "./value.ts";

/** One end of an interval: a value, or the edge of a type's bracket (all values of that rank). */
export type Bound =
  | { readonly kind: "value"; readonly value: Value; readonly inclusive: boolean }
  | { readonly kind: "bracket"; readonly rank: number };

/** A contiguous set of index values of one field. */
export interface Interval {
  readonly lower: Bound;
  readonly upper: Bound;
}

export type Direction = 1 | -1;

/**
 * Bytes whose order is MongoDB's order of the values, field by field. The encoding of each value
 * is self-delimiting, so that no key is a prefix of another with other values.
 */
export function encodeIndexKey(
  values: readonly Value[],
  directions: readonly Direction[],
): Uint8Array {
  const bytes: number[] = [];
  for (let i = 0; i < values.length; i += 1) {
    const start = bytes.length;
    pushValue(bytes, values[i] ?? null);
    if (directions[i] === -1) invert(bytes, start);
  }
  return Uint8Array.from(bytes);
}

/**
 * The keys of one field within an interval, as the half-open byte range [from, to). To scan a
 * compound index, put both behind the encoded key of the fields before it.
 */
export function encodeBound(
  interval: Interval,
  direction: Direction,
): { from: Uint8Array; to: Uint8Array } {
  const lower = edge(interval.lower, "lower", direction);
  const upper = edge(interval.upper, "upper", direction);
  return direction === 1 ? { from: lower, to: upper } : { from: upper, to: lower };
}

function edge(bound: Bound, side: "lower" | "upper", direction: Direction): Uint8Array {
  // Whether the edge lies after all keys of its value, seen in byte order.
  const inclusive = bound.kind === "bracket" || bound.inclusive;
  const after = (side === "upper") === (direction === 1) ? inclusive : !inclusive;
  const bytes =
    bound.kind === "bracket"
      ? Uint8Array.of(direction === 1 ? bound.rank : 255 - bound.rank)
      : encodeIndexKey([bound.value], [direction]);
  return after ? successor(bytes) : bytes;
}

/** The first byte string after all that begin with `prefix`. */
export function successor(prefix: Uint8Array): Uint8Array {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 255) end -= 1;
  const next = prefix.slice(0, end);
  next[end - 1] = (next[end - 1] ?? 0) + 1;
  return next;
}

function invert(bytes: number[], start: number): void {
  for (let i = start; i < bytes.length; i += 1) bytes[i] = 255 - (bytes[i] ?? 0);
}

function pushValue(bytes: number[], value: Value): void {
  bytes.push(typeRank(value));
  if (typeof value === "string") pushText(bytes, value);
  else if (isNumeric(value)) bytes.push(...encodeNumber(value));
  else if (typeof value === "boolean") bytes.push(value ? 1 : 0);
  else if (value instanceof ObjectId) bytes.push(...value.id);
  else if (value instanceof Date) pushInt64(bytes, BigInt(value.getTime()));
  else if (isDoc(value)) {
    for (const [name, field] of value) {
      bytes.push(typeRank(field));
      pushText(bytes, name);
      pushValue(bytes, field);
    }
    bytes.push(0);
  } else if (Array.isArray(value)) {
    for (const item of value) pushValue(bytes, item);
    bytes.push(0);
  } else pushRare(bytes, value);
}

function pushRare(bytes: number[], value: Value): void {
  if (value instanceof Binary) {
    pushUint32(bytes, value.position);
    bytes.push(value.sub_type, ...value.value());
  } else if (value instanceof Timestamp) {
    pushUint32(bytes, value.t);
    pushUint32(bytes, value.i);
  } else if (value instanceof BSONRegExp) {
    pushText(bytes, value.pattern);
    pushText(bytes, value.options);
  } else if (value instanceof BSONSymbol) {
    pushText(bytes, value.value);
  } else if (value instanceof Code) {
    pushText(bytes, value.code);
    if (value.scope instanceof Map) pushValue(bytes, value.scope);
  } else if (value instanceof DbPointer) {
    pushUint32(bytes, Buffer.byteLength(value.namespace));
    bytes.push(...Buffer.from(value.namespace), ...value.id.id);
  }
}

/** UTF-8 with 0 written as 0 255, ended by 0 0. */
function pushText(bytes: number[], text: string): void {
  for (const byte of Buffer.from(text)) {
    bytes.push(byte);
    if (byte === 0) bytes.push(255);
  }
  bytes.push(0, 0);
}

function pushUint32(bytes: number[], value: number): void {
  bytes.push((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

function pushInt64(bytes: number[], value: bigint): void {
  const flipped = BigInt.asUintN(64, value + (1n << 63n));
  pushUint32(bytes, Number(flipped >> 32n));
  pushUint32(bytes, Number(flipped & 0xffffffffn));
}
