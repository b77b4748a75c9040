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
import { DbPointer, isDoc, type Value } from "./value.ts";

/** A value as MongoDB's error messages print it: `{ a: 1, b: "x" }`. */
export function describe(value: Value | undefined): string {
  if (value === undefined) {
    return "MISSING";
  }
  if (value === null) {
    return "null";
  }
  if (typeof value === "string") {
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    return Number.isInteger(value) ? value.toFixed(1) : String(value);
  }
  if (typeof value === "bigint" || typeof value === "boolean") {
    return String(value);
  }
  if (isDoc(value)) {
    const fields = [...value].map(([name, field]) => `${name}: ${describe(field)}`);
    return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : `[ ${value.map(describe).join(", ")} ]`;
  }
  return describeClass(value);
}

function describeClass(value: Exclude<Value, string | number | bigint | boolean | null>): string {
  if (value instanceof Int32) {
    return String(value.value);
  }
  if (value instanceof Decimal128) {
    return value.toString();
  }
  if (value instanceof ObjectId) {
    return `ObjectId('${value.toHexString()}')`;
  }
  if (value instanceof Date) {
    return `new Date(${value.getTime()})`;
  }
  if (value instanceof Binary) {
    return `BinData(${value.sub_type}, ${value.toString("hex")})`;
  }
  if (value instanceof Timestamp) {
    return `Timestamp(${value.t}, ${value.i})`;
  }
  if (value instanceof BSONRegExp) {
    return `/${value.pattern}/${value.options}`;
  }
  if (value instanceof BSONSymbol) {
    return JSON.stringify(value.value);
  }
  if (value instanceof Code) {
    return value.code;
  }
  if (value instanceof MinKey) {
    return "MinKey";
  }
  if (value instanceof MaxKey) {
    return "MaxKey";
  }
  if (value instanceof DbPointer) {
    return `DBRef('${value.namespace}', ${value.id.toHexString()})`;
  }
  return "undefined";
}
