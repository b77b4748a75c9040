import { Binary, BSONRegExp, Decimal128, Int32, Long, ObjectId, Timestamp } from "bson";
import { BsonReader } from "./bson-reader.ts";
import { BsonWriter } from "./bson-writer.ts";
import { type Doc, isDoc, typeName, type Value } from "./value.ts";

const writer = new BsonWriter();

/** The document at the start (or at an offset) of BSON bytes. Nothing of `bytes` is retained. */
export function decode(bytes: Uint8Array, offset = 0): Doc {
  return new BsonReader(bytes, offset).document();
}

export function encode(doc: Doc): Uint8Array {
  return writer.write(doc);
}

type Plain = Value | undefined | Long | Plain[] | { readonly [name: string]: Plain };

/**
 * A document from a JavaScript object, for replies and tests: whole numbers in the int32 range
 * become Int32, other numbers doubles, as the official driver writes them; undefined is left out.
 */
export function docOf(object: { readonly [name: string]: Plain }): Doc {
  const doc: Doc = new Map();
  for (const [name, value] of Object.entries(object)) {
    if (value !== undefined) {
      doc.set(name, valueOf(value));
    }
  }
  return doc;
}

export function valueOf(plain: Exclude<Plain, undefined>): Value {
  if (typeof plain === "number") {
    return numberOf(plain);
  }
  if (Array.isArray(plain)) {
    return plain.map((item) => valueOf(item ?? null));
  }
  if (plain instanceof Long && !(plain instanceof Timestamp)) {
    return plain.toBigInt();
  }
  if (isPlainObject(plain)) {
    return docOf(plain);
  }
  return plain;
}

function isPlainObject(
  plain: Exclude<Plain, undefined>,
): plain is { readonly [name: string]: Plain } {
  return (
    typeof plain === "object" && plain !== null && Object.getPrototypeOf(plain) === Object.prototype
  );
}

function numberOf(value: number): Int32 | number {
  const isInt32 = Number.isInteger(value) && (value | 0) === value && !Object.is(value, -0);
  return isInt32 ? new Int32(value) : value;
}

/** What `distinct` sees at a path: documents in arrays are entered, a final array is unwound. */
export function distinctValues(doc: Doc, path: string): Value[] {
  const found: Value[] = [];
  const names = path.split(".");
  const visit = (value: Value | undefined, at: number): void => {
    const name = names[at];
    if (name === undefined) {
      if (Array.isArray(value)) {
        found.push(...value);
      } else if (value !== undefined) {
        found.push(value);
      }
    } else if (isDoc(value)) {
      visit(value.get(name), at + 1);
    } else if (Array.isArray(value)) {
      if (isArrayIndex(name)) {
        visit(value[Number(name)], at + 1);
      }
      for (const item of value) {
        if (isDoc(item)) {
          visit(item, at);
        }
      }
    }
  };
  visit(doc, 0);
  return found;
}

export function isArrayIndex(name: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(name);
}

/** Copies containers and shares leaves, which nobody mutates. */
export function cloneDoc(doc: Doc): Doc {
  const copy: Doc = new Map();
  for (const [name, value] of doc) {
    copy.set(name, cloneValue(value));
  }
  return copy;
}

function cloneValue(value: Value): Value {
  if (isDoc(value)) {
    return cloneDoc(value);
  }
  return Array.isArray(value) ? value.map(cloneValue) : value;
}

/** Equality of BSON bytes: types, field order and decimal exponents count. */
export function identical(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) {
    return a !== 0 || Object.is(a, b);
  }
  if (a === undefined || b === undefined || a === null || b === null) {
    return false;
  }
  if (typeof a === "number") {
    return Object.is(a, b);
  }
  if (typeof a !== "object" || typeof b !== "object") {
    return false;
  }
  if (isDoc(a)) {
    return isDoc(b) && identicalDocs(a, b);
  }
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => identical(item, b[i]));
  }
  return typeName(a) === typeName(b) && identicalLeaves(a, b);
}

function identicalDocs(a: Doc, b: Doc): boolean {
  if (a.size !== b.size) {
    return false;
  }
  const others = b.entries();
  for (const [name, value] of a) {
    const other = others.next().value;
    if (other === undefined || other[0] !== name || !identical(value, other[1])) {
      return false;
    }
  }
  return true;
}

function identicalLeaves(a: Value, b: Value): boolean {
  if (a instanceof Int32 && b instanceof Int32) {
    return a.value === b.value;
  }
  if (a instanceof Date && b instanceof Date) {
    return a.getTime() === b.getTime();
  }
  if (a instanceof ObjectId && b instanceof ObjectId) {
    return a.equals(b);
  }
  if (a instanceof Decimal128 && b instanceof Decimal128) {
    return Buffer.compare(a.bytes, b.bytes) === 0;
  }
  if (a instanceof Binary && b instanceof Binary) {
    return a.sub_type === b.sub_type && Buffer.compare(a.value(), b.value()) === 0;
  }
  if (a instanceof Timestamp && b instanceof Timestamp) {
    return a.t === b.t && a.i === b.i;
  }
  if (a instanceof BSONRegExp && b instanceof BSONRegExp) {
    return a.pattern === b.pattern && a.options === b.options;
  }
  return Buffer.compare(encode(new Map([["", a]])), encode(new Map([["", b]]))) === 0;
}
