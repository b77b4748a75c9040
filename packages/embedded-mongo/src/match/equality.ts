import { BSONRegExp, BSONSymbol, MaxKey, MinKey } from "bson";
import { CommandError } from "../bson/command-error.ts";
import { compareValues, typeRank, valuesEqual } from "../bson/compare-values.ts";
import { asDouble } from "../bson/numeric.ts";
import { BsonUndefined, type Doc, isDoc, isNullish, isNumeric, type Value } from "../bson/value.ts";
import { encodeIndexKey } from "../keys/index-key.ts";
import { equalityBounds, rangeBounds } from "./bounds.ts";
import { compilePattern } from "./pattern/compile-pattern.ts";
import { leaf, type Predicate } from "./predicate.ts";

/** From this many values on, $in looks its values up instead of comparing with each. */
const lookupFrom = 8;

export type RangeOperator = "$gt" | "$gte" | "$lt" | "$lte";

/** Equality as of `{ field: value }`: null matches missing, a regular expression matches text. */
export function equality(operand: Value): Predicate {
  return leaf(equalityTest(operand), equalityBounds([operand]));
}

function equalityTest(operand: Value): (value: Value | undefined) => boolean {
  if (operand instanceof BsonUndefined) {
    throw new CommandError("BadValue", "cannot compare to undefined");
  }
  if (operand === null) {
    return isNullish;
  }
  if (operand instanceof BSONRegExp) {
    return regexTest(operand);
  }
  if (typeof operand === "string") {
    return (value) => value === operand || (value instanceof BSONSymbol && value.value === operand);
  }
  return (value) => value !== undefined && valuesEqual(value, operand);
}

/** `$eq` takes a regular expression as a value, where `{ field: /x/ }` searches. */
export function explicitEquality(operand: Value): Predicate {
  if (!(operand instanceof BSONRegExp)) {
    return equality(operand);
  }
  return leaf((value) => value !== undefined && valuesEqual(value, operand));
}

export function regexTest(regex: BSONRegExp): (value: Value | undefined) => boolean {
  const compiled = compilePattern(regex);
  return (value) => {
    if (typeof value === "string") {
      return compiled.test(value);
    }
    if (value instanceof BSONSymbol) {
      return compiled.test(value.value);
    }
    return value instanceof BSONRegExp && valuesEqual(value, regex);
  };
}

/** A comparison holds only between values of the same type, numbers being one. */
export function range(operator: RangeOperator, operand: Value, path: string): Predicate {
  if (operand instanceof BSONRegExp) {
    throw new CommandError(
      "BadValue",
      `Can't have RegEx as arg to predicate over field '${path}'.`,
    );
  }
  if (operand instanceof BsonUndefined) {
    throw new CommandError("BadValue", "cannot compare to undefined");
  }
  return leaf(rangeTest(operator, operand), rangeBounds(operator, operand));
}

function rangeTest(operator: RangeOperator, operand: Value): (value: Value | undefined) => boolean {
  const orEqual = operator.endsWith("e");
  const greater = operator.startsWith("$g");
  if (operand === null) {
    return (value) => orEqual && isNullish(value);
  }
  const rank = typeRank(operand);
  const everything = operand instanceof (greater ? MinKey : MaxKey);
  const operandNaN = isNaNValue(operand);
  return (value) => {
    if (value === undefined) {
      return everything;
    }
    if (typeRank(value) !== rank) {
      return everything;
    }
    if (operandNaN || isNaNValue(value)) {
      return orEqual && operandNaN && isNaNValue(value);
    }
    const compared = compareValues(value, operand);
    return compared === 0 ? orEqual : compared > 0 === greater;
  };
}

function isNaNValue(value: Value): boolean {
  return typeof value === "number"
    ? Number.isNaN(value)
    : isNumeric(value) && Number.isNaN(asDouble(value));
}

/** The `$in` list: values and regular expressions. */
export function membership(operand: Value, operator: "$in" | "$nin"): Predicate {
  if (!Array.isArray(operand)) {
    throw new CommandError("BadValue", `${operator} needs an array`);
  }
  for (const item of operand) {
    if (isOperatorDoc(item)) {
      throw new CommandError("BadValue", `cannot nest $ under ${operator}`);
    }
    if (item instanceof BsonUndefined) {
      throw new CommandError("BadValue", `cannot compare to undefined`);
    }
  }
  return leaf(membershipTest(operand), equalityBounds(operand));
}

function membershipTest(operands: readonly Value[]): (value: Value | undefined) => boolean {
  const plain = operands.filter((item) => item !== null && !(item instanceof BSONRegExp));
  const others = operands.filter((item) => item === null || item instanceof BSONRegExp);
  const tests = others.map((item) => equalityTest(item));
  if (plain.length < lookupFrom) {
    tests.push(...plain.map((item) => equalityTest(item)));
    return (value) => tests.some((test) => test(value));
  }
  const keys = new Set(plain.map(lookupKey));
  return (value) =>
    (value !== undefined && keys.has(lookupKey(value))) || tests.some((test) => test(value));
}

function lookupKey(value: Value): string {
  return Buffer.from(encodeIndexKey([value], [1])).toString("latin1");
}

/** A document whose first field begins with `$`, and that is no DBRef. */
export function isOperatorDoc(spec: Value): spec is Doc {
  if (!isDoc(spec)) {
    return false;
  }
  const [first] = spec.keys();
  return first?.startsWith("$") === true && !isReference(spec);
}

const logicalOperators = new Set(["$and", "$or", "$nor", "$where", "$expr"]);

/** Operators on a value, where `{ $or: […] }` and the like would be a filter of documents. */
export function isValueCondition(spec: Value): spec is Doc {
  return isOperatorDoc(spec) && !logicalOperators.has([...spec.keys()][0] ?? "");
}

function isReference(doc: Doc): boolean {
  const [first] = doc.keys();
  return first === "$ref" || first === "$id" || first === "$db";
}
