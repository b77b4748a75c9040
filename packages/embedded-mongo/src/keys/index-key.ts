import { Binary, BSONRegExp, BSONSymbol, Code, ObjectId, Timestamp } from "bson";
import { typeRank } from "../bson/compare-values.ts";
import { DbPointer, isDoc, isNumeric, type Value } from "../bson/value.ts";
import { KeyWriter } from "./key-writer.ts";
import { writeNumber } from "./write-number.ts";

const writer = new KeyWriter();

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
  writer.start();
  for (let i = 0; i < values.length; i += 1) {
    const start = writer.position;
    writeValue(values[i] ?? null);
    if (directions[i] === -1) {
      writer.invert(start);
    }
  }
  return writer.finish();
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
  while (end > 0 && prefix[end - 1] === 255) {
    end -= 1;
  }
  const next = prefix.slice(0, end);
  next[end - 1] = (next[end - 1] ?? 0) + 1;
  return next;
}

function writeValue(value: Value): void {
  writer.byte(typeRank(value));
  if (typeof value === "string") {
    writer.text(value);
  } else if (isNumeric(value)) {
    writeNumber(writer, value);
  } else if (typeof value === "boolean") {
    writer.byte(value ? 1 : 0);
  } else if (value instanceof ObjectId) {
    writer.raw(value.id);
  } else if (value instanceof Date) {
    writer.int64(value.getTime());
  } else if (isDoc(value)) {
    for (const [name, field] of value) {
      writer.byte(typeRank(field));
      writer.text(name);
      writeValue(field);
    }
    writer.byte(0);
  } else if (Array.isArray(value)) {
    for (const item of value) {
      writeValue(item);
    }
    writer.byte(0);
  } else {
    writeRare(value);
  }
}

function writeRare(value: Value): void {
  if (value instanceof Binary) {
    writer.uint32(value.position);
    writer.byte(value.sub_type);
    writer.raw(value.value());
  } else if (value instanceof Timestamp) {
    writer.uint32(value.t);
    writer.uint32(value.i);
  } else if (value instanceof BSONRegExp) {
    writer.text(value.pattern);
    writer.text(value.options);
  } else if (value instanceof BSONSymbol) {
    writer.text(value.value);
  } else if (value instanceof Code) {
    writer.text(value.code);
    if (value.scope instanceof Map) {
      writeValue(value.scope);
    }
  } else if (value instanceof DbPointer) {
    writer.uint32(Buffer.byteLength(value.namespace));
    writer.raw(Buffer.from(value.namespace));
    writer.raw(value.id.id);
  }
}
