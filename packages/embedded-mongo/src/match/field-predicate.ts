import { BSONRegExp } from "bson";
import { CommandError } from "../bson/command-error.ts";
import { describe } from "../bson/describe.ts";
import { asDouble, wholeNumber } from "../bson/numeric.ts";
import { type Doc, isDoc, isNullish, isNumeric, type Value } from "../bson/value.ts";
import { anything, equalityBounds } from "./bounds.ts";
import { elementMatch } from "./element-match.ts";
import {
  equality,
  explicitEquality,
  isOperatorDoc,
  membership,
  range,
  regexTest,
} from "./equality.ts";
import { type FieldScope, leaf, not, type Predicate } from "./predicate.ts";

/** The condition in `{ field: spec }`: operators, or a value to be equal to. */
export function fieldPredicate(spec: Value, scope: FieldScope): Predicate {
  if (!isOperatorDoc(spec)) {
    return equality(spec);
  }
  return operatorPredicate(spec, scope);
}

function operatorPredicate(spec: Doc, scope: FieldScope): Predicate {
  const parts: Predicate[] = [];
  for (const [name, operand] of spec) {
    const part = operator(name, operand, spec, scope);
    if (part !== undefined) {
      parts.push(part);
    }
  }
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { kind: "all", parts };
}

function operator(
  name: string,
  operand: Value,
  siblings: Doc,
  scope: FieldScope,
): Predicate | undefined {
  switch (name) {
    case "$eq":
      return explicitEquality(operand);
    case "$ne":
      if (operand instanceof BSONRegExp) {
        throw new CommandError("BadValue", "Can't have regex as arg to $ne.");
      }
      return not(equality(operand));
    case "$gt":
    case "$gte":
    case "$lt":
    case "$lte":
      return range(name, operand, scope.path);
    case "$in":
      return membership(operand, name);
    case "$nin":
      return not(membership(operand, name));
    case "$not":
      return negation(operand, scope);
    case "$exists":
      return existence(operand);
    case "$all":
      return containment(operand, scope);
    case "$elemMatch":
      return elementMatch(operand, scope, operatorPredicate);
    case "$size":
      return sizeTest(operand);
    case "$regex":
      return leafRegex(operand, siblings.get("$options"));
    case "$options":
      if (!siblings.has("$regex")) {
        throw new CommandError("BadValue", "$options needs a $regex");
      }
      return undefined;
    default:
      throw refusal(name);
  }
}

/** MongoDB's other operators; each is refused by its name. */
const knownOperators = new Set([
  "$bitsAllClear",
  "$bitsAllSet",
  "$bitsAnyClear",
  "$bitsAnySet",
  "$geoIntersects",
  "$geoNear",
  "$geoWithin",
  "$maxDistance",
  "$minDistance",
  "$mod",
  "$near",
  "$nearSphere",
  "$text",
  "$type",
  "$within",
]);

function refusal(name: string): CommandError {
  return knownOperators.has(name)
    ? new CommandError("NotImplemented", `${name} is not supported`)
    : new CommandError("BadValue", `unknown operator: ${name}`);
}

function negation(operand: Value, scope: FieldScope): Predicate {
  if (operand instanceof BSONRegExp) {
    return not(equality(operand));
  }
  if (!isDoc(operand)) {
    throw new CommandError("BadValue", "$not needs a regex or a document");
  }
  if (operand.size === 0) {
    throw new CommandError("BadValue", "$not cannot be empty");
  }
  return not(operatorPredicate(operand, scope));
}

function existence(operand: Value): Predicate {
  const wanted = isTruthy(operand);
  const exists = leaf((value) => value !== undefined, wanted ? anything : undefined);
  return wanted ? exists : not(exists);
}

/** False, zero, null and undefined are false; everything else is true. */
export function isTruthy(value: Value | undefined): boolean {
  if (value === false || isNullish(value)) {
    return false;
  }
  return !isNumeric(value) || asDouble(value) !== 0;
}

function containment(operand: Value, scope: FieldScope): Predicate {
  if (!Array.isArray(operand)) {
    throw new CommandError("BadValue", "$all needs an array");
  }
  if (operand.length === 0) {
    return leaf(() => false);
  }
  const [first] = operand;
  const isElementMatch = isDoc(first) && [...first.keys()][0] === "$elemMatch";
  const parts = operand.map((item): Predicate => {
    if (isElementMatch) {
      const [name, spec] = isDoc(item) ? ([...item][0] ?? []) : [];
      if (name !== "$elemMatch" || spec === undefined) {
        throw new CommandError("BadValue", "$all/$elemMatch has to be consistent");
      }
      return elementMatch(spec, scope, operatorPredicate);
    }
    if (isOperatorDoc(item)) {
      throw new CommandError("BadValue", "no $ expressions in $all");
    }
    return equality(item);
  });
  return { kind: "all", parts };
}

function sizeTest(operand: Value): Predicate {
  const size = isNumeric(operand) ? wholeNumber(operand) : undefined;
  if (size === undefined) {
    throw new CommandError(
      "BadValue",
      `Failed to parse $size. Expected an integer: $size: ${describe(operand)}`,
    );
  }
  if (size < 0n) {
    throw new CommandError(
      "BadValue",
      `Failed to parse $size. Expected a non-negative number in: $size: ${describe(operand)}`,
    );
  }
  const test = (value: Value | undefined): boolean =>
    Array.isArray(value) && value.length === Number(size);
  return { kind: "leaf", test, unwind: false };
}

function leafRegex(operand: Value, options: Value | undefined): Predicate {
  const regex = regexOf(operand, options);
  return leaf(regexTest(regex), equalityBounds([regex]));
}

function regexOf(operand: Value, options: Value | undefined): BSONRegExp {
  if (options !== undefined && typeof options !== "string") {
    throw new CommandError("BadValue", "$options has to be a string");
  }
  if (operand instanceof BSONRegExp) {
    if (options === undefined) {
      return operand;
    }
    if (operand.options !== "") {
      throw new CommandError(51075, "options set in both $regex and $options");
    }
    return buildRegex(operand.pattern, options);
  }
  if (typeof operand !== "string") {
    throw new CommandError("BadValue", "$regex has to be a string");
  }
  return buildRegex(operand, options ?? "");
}

function buildRegex(pattern: string, options: string): BSONRegExp {
  if (pattern.includes("\0")) {
    throw new CommandError(51109, "Regular expression cannot contain an embedded null byte");
  }
  return new BSONRegExp(pattern, options);
}
