import { Binary, BSONSymbol, Decimal128, Int32, ObjectId, Timestamp } from "bson";
import { exactOf, toDecimal128 } from "../../query/decimal.ts";
import { CommandError } from "../../query/error.ts";
import { compileTypeSet } from "../../query/match/type-set.ts";
import { asDouble, decimalOperand, truncatedInt64 } from "../../query/numeric.ts";
import { isNullish, isNumeric, TYPE_NUMBERS, type Value } from "../../query/value.ts";
import { parseDate } from "./date-text.ts";
import { named, type OperatorCompiler, typeOf, unary } from "./operator.ts";

type Maybe = Value | undefined;
type Target = "double" | "string" | "objectId" | "bool" | "date" | "int" | "long" | "decimal";

const TARGETS: readonly Target[] = [
  "double",
  "string",
  "objectId",
  "bool",
  "date",
  "int",
  "long",
  "decimal",
];

function failure(message: string): CommandError {
  return new CommandError("ConversionFailure", `${message} in $convert with no onError value`);
}

function unsupported(value: Value, target: Target): CommandError {
  return failure(`Unsupported conversion from ${typeOf(value)} to ${target}`);
}

/** A string for what $toString takes; refuses documents, arrays and the like. */
export function textOf(value: Value): string {
  if (typeof value === "string") {
    return value;
  }
  if (value instanceof BSONSymbol) {
    return value.value;
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (value instanceof ObjectId) {
    return value.toHexString();
  }
  if (value instanceof Int32) {
    return String(value.value);
  }
  if (value instanceof Decimal128) {
    return value.toString();
  }
  if (value instanceof Binary) {
    return value.toString("base64");
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return String(value);
  }
  throw unsupported(value, "string");
}

function integerOf(value: Value, target: "int" | "long"): bigint {
  if (typeof value === "boolean") {
    return value ? 1n : 0n;
  }
  if (typeof value === "string") {
    if (!/^[+-]?\d+$/.test(value)) {
      throw failure(`Failed to parse number '${value}' in $convert: Did not consume whole string.`);
    }
    return ranged(BigInt(value.replace("+", "")), value, target);
  }
  if (value instanceof Date && target === "long") {
    return BigInt(value.getTime());
  }
  if (!isNumeric(value)) {
    throw unsupported(value, target);
  }
  if (!Number.isFinite(asDouble(value)) && typeof exactOf(value) === "string") {
    throw failure(
      `Attempt to convert ${Number.isNaN(asDouble(value)) ? "NaN" : "infinity"} value to integer type`,
    );
  }
  if (Math.abs(asDouble(value)) > 2 ** 63) {
    throw overflow(String(asDouble(value)));
  }
  return ranged(truncatedInt64(value) ?? 0n, String(asDouble(value)), target);
}

function ranged(value: bigint, text: string, target: "int" | "long"): bigint {
  const bits = target === "int" ? 32 : 64;
  if (BigInt.asIntN(bits, value) !== value) {
    throw overflow(text);
  }
  return value;
}

function overflow(text: string): CommandError {
  return failure(`Conversion would overflow target type: ${text}`);
}

function doubleOf(value: Value): number {
  if (typeof value === "boolean") {
    return value ? 1 : 0;
  }
  if (value instanceof Date) {
    return value.getTime();
  }
  if (isNumeric(value)) {
    return asDouble(value);
  }
  if (typeof value !== "string") {
    throw unsupported(value, "double");
  }
  const number = /^\s|\s$|^$|^[+-]?0x/i.test(value) ? Number.NaN : Number(value);
  if (Number.isNaN(number) && !/^[+-]?nan$/i.test(value)) {
    throw failure(`Failed to parse number '${value}' in $convert: Did not consume whole string.`);
  }
  return number;
}

function decimalOf(value: Value): Decimal128 {
  if (value instanceof Decimal128) {
    return value;
  }
  if (typeof value === "boolean") {
    return Decimal128.fromString(value ? "1" : "0");
  }
  if (value instanceof Date) {
    return Decimal128.fromString(String(value.getTime()));
  }
  if (isNumeric(value)) {
    return toDecimal128(decimalOperand(value));
  }
  if (typeof value !== "string") {
    throw unsupported(value, "decimal");
  }
  try {
    return Decimal128.fromStringWithRounding(value);
  } catch {
    throw failure(
      `Failed to parse number '${value}' in $convert: Failed to parse string to decimal`,
    );
  }
}

function dateOf(value: Value): Date {
  if (value instanceof Date) {
    return value;
  }
  if (value instanceof ObjectId) {
    return value.getTimestamp();
  }
  if (value instanceof Timestamp) {
    return new Date(value.t * 1000);
  }
  if (typeof value === "string") {
    return parseDate(value, "UTC");
  }
  if (!isNumeric(value) || value instanceof Int32) {
    throw unsupported(value, "date");
  }
  const date = new Date(Number(truncatedInt64(value) ?? Number.NaN));
  if (Number.isNaN(date.getTime())) {
    throw overflow(String(asDouble(value)));
  }
  return date;
}

function objectIdOf(value: Value): ObjectId {
  if (value instanceof ObjectId) {
    return value;
  }
  if (typeof value !== "string") {
    throw unsupported(value, "objectId");
  }
  if (!/^[0-9a-f]{24}$/i.test(value)) {
    throw failure(
      `Failed to parse objectId '${value}' in $convert: Invalid string length or character for parsing to OID, expected 24 hex digits`,
    );
  }
  return new ObjectId(value);
}

function convertTo(target: Target, value: Value): Value {
  switch (target) {
    case "string":
      return textOf(value);
    case "bool":
      return isNumeric(value) ? asDouble(value) !== 0 : value !== false;
    case "int":
      return new Int32(Number(integerOf(value, "int")));
    case "long":
      return integerOf(value, "long");
    case "double":
      return doubleOf(value);
    case "decimal":
      return decimalOf(value);
    case "date":
      return dateOf(value);
    case "objectId":
      return objectIdOf(value);
  }
}

function targetOf(to: Maybe): Target | null {
  if (isNullish(to)) {
    return null;
  }
  const target = TARGETS.find(
    (name) => name === to || (isNumeric(to) && asDouble(to) === TYPE_NUMBERS[name]),
  );
  if (target !== undefined) {
    return target;
  }
  compileTypeSet(to, "$convert");
  throw new CommandError("NotImplemented", `$convert to that type is not supported`);
}

const convert = named(["input", "to"], ["onError", "onNull"], (argument, given) => {
  const input = argument("input");
  if (isNullish(input)) {
    return given.has("onNull") ? argument("onNull") : null;
  }
  const target = targetOf(argument("to"));
  if (target === null) {
    return null;
  }
  try {
    return convertTo(target, input);
  } catch (error) {
    const isConversion = error instanceof CommandError && error.codeName === "ConversionFailure";
    if (isConversion && given.has("onError")) {
      return argument("onError");
    }
    throw error;
  }
});

function to(target: Target): OperatorCompiler {
  return unary((value) => (isNullish(value) ? null : convertTo(target, value)));
}

export const conversion: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$convert", convert],
  ["$toString", to("string")],
  ["$toBool", to("bool")],
  ["$toInt", to("int")],
  ["$toLong", to("long")],
  ["$toDouble", to("double")],
  ["$toDecimal", to("decimal")],
  ["$toDate", to("date")],
  ["$toObjectId", to("objectId")],
  ["$type", unary((value) => typeOf(value))],
  ["$isNumber", unary((value) => isNumeric(value))],
]);
