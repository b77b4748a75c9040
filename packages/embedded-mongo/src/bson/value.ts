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

/** BSON's deprecated undefined. JavaScript's `undefined` stands for a missing field instead. */
export class BsonUndefined {
  static readonly value = new BsonUndefined();
  readonly bsonType = "undefined";
}

/** BSON's deprecated DBPointer (type 12), kept only so that it survives storage. */
export class DbPointer {
  readonly namespace: string;
  readonly id: ObjectId;
  constructor(namespace: string, id: ObjectId) {
    this.namespace = namespace;
    this.id = id;
  }
}

/**
 * How BSON lives in memory: each BSON type has exactly one JavaScript representation.
 *
 *   double → number        int32 → Int32 (bson)     int64 → bigint      decimal → Decimal128 (bson)
 *   string → string        bool → boolean           null → null         date → Date
 *   document → Map         array → Array            undefined → BsonUndefined.value
 *   objectId, binary, timestamp, regex, code, symbol, minKey, maxKey → their classes of package bson
 *
 * Documents are Maps because objects reorder integer-like keys and treat `__proto__` specially.
 * DBRefs are plain documents. Values are never mutated in place by readers: leaves are shared.
 */
export type Value =
  | number
  | Int32
  | bigint
  | Decimal128
  | string
  | boolean
  | null
  | Date
  | ObjectId
  | Binary
  | Timestamp
  | BSONRegExp
  | BSONSymbol
  | Code
  | MinKey
  | MaxKey
  | BsonUndefined
  | DbPointer
  | Value[]
  | Doc;

export interface Doc extends Map<string, Value> {}

export type Numeric = number | Int32 | bigint | Decimal128;

export const typeNumbers = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const;

export type TypeName = keyof typeof typeNumbers;

export function typeName(value: Value): TypeName {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "double";
    case "boolean":
      return "bool";
    case "bigint":
      return "long";
    default:
  }
  if (value === null) {
    return "null";
  }
  if (value instanceof Map) {
    return "object";
  }
  if (Array.isArray(value)) {
    return "array";
  }
  if (value instanceof Int32) {
    return "int";
  }
  if (value instanceof Date) {
    return "date";
  }
  if (value instanceof ObjectId) {
    return "objectId";
  }
  if (value instanceof Decimal128) {
    return "decimal";
  }
  if (value instanceof Binary) {
    return "binData";
  }
  if (value instanceof Timestamp) {
    return "timestamp";
  }
  if (value instanceof BSONRegExp) {
    return "regex";
  }
  if (value instanceof MinKey) {
    return "minKey";
  }
  if (value instanceof MaxKey) {
    return "maxKey";
  }
  if (value instanceof Code) {
    return value.scope ? "javascriptWithScope" : "javascript";
  }
  if (value instanceof BSONSymbol) {
    return "symbol";
  }
  if (value instanceof DbPointer) {
    return "dbPointer";
  }
  return "undefined";
}

export function isDoc(value: Value | undefined): value is Doc {
  return value instanceof Map;
}

export function isNumeric(value: Value | undefined): value is Numeric {
  return (
    typeof value === "number" ||
    typeof value === "bigint" ||
    value instanceof Int32 ||
    value instanceof Decimal128
  );
}

export function isNullish(value: Value | undefined): value is null | undefined | BsonUndefined {
  return value === null || value === undefined || value instanceof BsonUndefined;
}
