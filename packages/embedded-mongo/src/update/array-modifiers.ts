import { BSONRegExp } from "bson";
import { CommandError } from "../bson/command-error.ts";
import { valuesEqual } from "../bson/compare-values.ts";
import { describe } from "../bson/describe.ts";
import { wholeNumber } from "../bson/numeric.ts";
import { isDoc, isNumeric, typeName, type Value } from "../bson/value.ts";
import { compileFilter } from "../match/compile-filter.ts";
import { isValueCondition } from "../match/equality.ts";
import { fieldName, type Modifier, type ModifierCompiler } from "./modifier.ts";

export const push: ModifierCompiler = (operand) => {
  const isClauses = isDoc(operand) && operand.has("$each");
  const clauses = isClauses ? operand : new Map<string, Value>([["$each", [operand]]]);
  for (const name of clauses.keys()) {
    if (name === "$sort" || name === "$position") {
      throw new CommandError("NotImplemented", `${name} in $push is not supported`);
    }
    if (name !== "$each" && name !== "$slice") {
      throw new CommandError("BadValue", `Unrecognized clause in $push: ${name}`);
    }
  }
  const items = eachItems("$push", clauses.get("$each"));
  const slice = integerClause("$slice", clauses.get("$slice"));
  return {
    way: "creates",
    apply: (current, place) => {
      if (current !== undefined && !Array.isArray(current)) {
        throw new CommandError(
          "BadValue",
          `The field '${place.path.join(".")}' must be an array but is of type ${typeName(current)} in document {_id: ${describe(place.id)}}`,
        );
      }
      const array = [...(current ?? []), ...items];
      if (slice === undefined) {
        return array;
      }
      return slice < 0 ? array.slice(slice) : array.slice(0, slice);
    },
  };
};

function eachItems(operator: string, each: Value | undefined): Value[] {
  if (Array.isArray(each)) {
    return each;
  }
  throw new CommandError(
    operator === "$push" ? "BadValue" : "TypeMismatch",
    `The argument to $each in ${operator} must be an array but it was of type: ${each === undefined ? "missing" : typeName(each)}`,
  );
}

function integerClause(name: string, value: Value | undefined): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  const whole = isNumeric(value) ? wholeNumber(value) : undefined;
  if (whole === undefined) {
    throw new CommandError(
      "BadValue",
      `The value for ${name} must be an integer value but was given type: ${typeName(value)}`,
    );
  }
  return Number(whole);
}

export const addToSet: ModifierCompiler = (operand) => {
  const [first] = isDoc(operand) ? operand.keys() : [];
  let items = [operand];
  if (isDoc(operand) && first === "$each") {
    items = eachItems("$addToSet", operand.get("$each"));
    if (operand.size > 1) {
      throw new CommandError(
        "BadValue",
        `Found unexpected fields after $each in $addToSet: ${describe(operand)}`,
      );
    }
  }
  return {
    way: "creates",
    apply: (current, place) => {
      if (current !== undefined && !Array.isArray(current)) {
        throw new CommandError(
          "BadValue",
          `Cannot apply $addToSet to non-array field. Field named '${fieldName(place)}' has non-array type ${typeName(current)}`,
        );
      }
      const array = [...(current ?? [])];
      for (const item of items) {
        if (!array.some((member) => valuesEqual(member, item))) {
          array.push(item);
        }
      }
      return array;
    },
  };
};

export const pop: ModifierCompiler = (operand) => {
  const end = isNumeric(operand) ? wholeNumber(operand) : undefined;
  if (end === undefined) {
    throw new CommandError("FailedToParse", `Expected a number in: $pop: ${describe(operand)}`);
  }
  if (end !== 1n && end !== -1n) {
    throw new CommandError("FailedToParse", `$pop expects 1 or -1, found: ${end}`);
  }
  return {
    way: "expects",
    apply: (current, place) => {
      if (current === undefined) {
        return undefined;
      }
      if (!Array.isArray(current)) {
        throw new CommandError(
          "TypeMismatch",
          `Path '${place.path.join(".")}' contains an element of non-array type '${typeName(current)}'`,
        );
      }
      return end === 1n ? current.slice(0, -1) : current.slice(1);
    },
  };
};

export const pull: ModifierCompiler = (operand) => removal("$pull", pullTest(operand));

export const pullAll: ModifierCompiler = (operand) => {
  if (!Array.isArray(operand)) {
    throw new CommandError(
      "BadValue",
      `$pullAll requires an array argument but was given a ${typeName(operand)}`,
    );
  }
  return removal("$pullAll", (item) => operand.some((value) => valuesEqual(value, item)));
};

function pullTest(operand: Value): (item: Value) => boolean {
  if (operand instanceof BSONRegExp || isValueCondition(operand)) {
    const filter = compileFilter(new Map([["item", operand]]));
    return (item) => filter.matches(new Map([["item", item]]));
  }
  if (isDoc(operand)) {
    const filter = compileFilter(operand);
    return (item) => isDoc(item) && filter.matches(item);
  }
  return (item) => valuesEqual(item, operand);
}

function removal(name: string, test: (item: Value) => boolean): Modifier {
  return {
    way: "expects",
    apply: (current) => {
      if (current === undefined) {
        return undefined;
      }
      if (!Array.isArray(current)) {
        throw new CommandError("BadValue", `Cannot apply ${name} to a non-array value`);
      }
      return current.filter((item) => !test(item));
    },
  };
}
