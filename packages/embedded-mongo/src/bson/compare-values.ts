import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Int32,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from "bson";
import { compareExact, exactOf } from "./exact.ts";
import { DbPointer, type Doc, isDoc, isNumeric, type Numeric, type Value } from "./value.ts";

/**
 * The rank of a value's type in MongoDB's order across types. All numbers share a rank, as do
 * strings and symbols. The ranks are also the type bytes of index keys: 0 and 255 stay free.
 */
export function typeRank(value: Value | undefined): number {
  switch (typeof value) {
    case "undefined":
      return 10;
    case "number":
    case "bigint":
      return 30;
    case "string":
      return 40;
    case "boolean":
      return 90;
    default:
  }
  if (value === null) {
    return 20;
  }
  if (isDoc(value)) {
    return 50;
  }
  if (Array.isArray(value)) {
    return 60;
  }
  if (value instanceof Int32 || value instanceof Decimal128) {
    return 30;
  }
  if (value instanceof ObjectId) {
    return 80;
  }
  if (value instanceof Date) {
    return 100;
  }
  if (value instanceof Binary) {
    return 70;
  }
  if (value instanceof Timestamp) {
    return 110;
  }
  if (value instanceof BSONRegExp) {
    return 120;
  }
  if (value instanceof DbPointer) {
    return 130;
  }
  if (value instanceof Code) {
    return value.scope ? 150 : 140;
  }
  if (value instanceof BSONSymbol) {
    return 40;
  }
  if (value instanceof MinKey) {
    return 1;
  }
  if (value instanceof MaxKey) {
    return 200;
  }
  return 10;
}

/** MongoDB's order of values; a missing value sorts with undefined, before null. */
export function compareValues(a: Value | undefined, b: Value | undefined): number {
  if (typeof a === "string" && typeof b === "string") {
    return compareStrings(a, b);
  }
  const byRank = typeRank(a) - typeRank(b);
  if (byRank !== 0) {
    return byRank < 0 ? -1 : 1;
  }
  if (isNumeric(a) && isNumeric(b)) {
    return compareNumbers(a, b);
  }
  if (a instanceof ObjectId && b instanceof ObjectId) {
    return Buffer.compare(a.id, b.id);
  }
  if (a instanceof Date && b instanceof Date) {
    return Math.sign(a.getTime() - b.getTime());
  }
  if (typeof a === "boolean") {
    return Number(a) - Number(b);
  }
  if (isDoc(a) && isDoc(b)) {
    return compareDocs(a, b);
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return compareArrays(a, b);
  }
  if (a instanceof Binary && b instanceof Binary) {
    return compareBinaries(a, b);
  }
  return compareRare(a, b);
}

export function valuesEqual(a: Value | undefined, b: Value | undefined): boolean {
  return compareValues(a, b) === 0;
}

/** Exact across types: 2^53 + 1 as a long differs from 2^53 as a double. NaN comes first. */
function compareNumbers(a: Numeric, b: Numeric): number {
  const left = a instanceof Int32 ? a.value : a;
  const right = b instanceof Int32 ? b.value : b;
  if (left instanceof Decimal128 || right instanceof Decimal128) {
    return compareDecimals(left, right);
  }
  if (left < right) {
    return -1;
  }
  if (left > right) {
    return 1;
  }
  const leftNaN = Number.isNaN(left);
  const rightNaN = Number.isNaN(right);
  return leftNaN === rightNaN ? 0 : leftNaN ? -1 : 1;
}

const specialOrder = { NaN: -2, "-Infinity": -1, Infinity: 1 };

function compareDecimals(a: Numeric, b: Numeric): number {
  const left = exactOf(a);
  const right = exactOf(b);
  if (typeof left !== "string" && typeof right !== "string") {
    return compareExact(left, right);
  }
  const leftRank = typeof left === "string" ? specialOrder[left] : 0;
  const rightRank = typeof right === "string" ? specialOrder[right] : 0;
  return Math.sign(leftRank - rightRank);
}

/** By code points, which is the order of UTF-8 bytes; JavaScript's own is that of UTF-16. */
function compareStrings(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) {
      return codePointRank(left) < codePointRank(right) ? -1 : 1;
    }
  }
  return Math.sign(a.length - b.length);
}

function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Field by field: the type first, then the name, then the value. */
function compareDocs(a: Doc, b: Doc): number {
  const others = b.entries();
  for (const [name, value] of a) {
    const other = others.next().value;
    if (other === undefined) {
      return 1;
    }
    const compared =
      Math.sign(typeRank(value) - typeRank(other[1])) ||
      compareStrings(name, other[0]) ||
      compareValues(value, other[1]);
    if (compared !== 0) {
      return compared;
    }
  }
  return a.size < b.size ? -1 : 0;
}

function compareArrays(a: readonly Value[], b: readonly Value[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const compared = compareValues(a[i], b[i]);
    if (compared !== 0) {
      return compared;
    }
  }
  return Math.sign(a.length - b.length);
}

function isText(value: Value | undefined): value is string | BSONSymbol {
  return typeof value === "string" || value instanceof BSONSymbol;
}

function textOf(value: string | BSONSymbol): string {
  return typeof value === "string" ? value : value.value;
}

function compareBinaries(a: Binary, b: Binary): number {
  return (
    Math.sign(a.position - b.position) ||
    Math.sign(a.sub_type - b.sub_type) ||
    Buffer.compare(a.value(), b.value())
  );
}

function compareRare(a: Value | undefined, b: Value | undefined): number {
  if (isText(a) && isText(b)) {
    return compareStrings(textOf(a), textOf(b));
  }
  if (a instanceof Timestamp && b instanceof Timestamp) {
    return Math.sign(a.t - b.t) || Math.sign(a.i - b.i);
  }
  if (a instanceof BSONRegExp && b instanceof BSONRegExp) {
    return compareStrings(a.pattern, b.pattern) || compareStrings(a.options, b.options);
  }
  if (a instanceof Code && b instanceof Code) {
    const byCode = compareStrings(a.code, b.code);
    if (byCode !== 0) {
      return byCode;
    }
    const [scope, other] = [a.scope, b.scope];
    return scope instanceof Map && other instanceof Map ? compareDocs(scope, other) : 0;
  }
  if (a instanceof DbPointer && b instanceof DbPointer) {
    return (
      Math.sign(Buffer.byteLength(a.namespace) - Buffer.byteLength(b.namespace)) ||
      compareStrings(a.namespace, b.namespace) ||
      Buffer.compare(a.id.id, b.id.id)
    );
  }
  return 0;
}
