import { Decimal128, Int32, Timestamp } from "bson";
import { compareValues } from "../compare.ts";
import { describe } from "../describe.ts";
import { CommandError } from "../error.ts";
import { add, multiply } from "../numeric.ts";
import { isDoc, isNumeric, type Numeric, typeName, type Value } from "../value.ts";
import { fieldName, type Modifier, type ModifierCompiler, type Place } from "./modifier.ts";

export const set: ModifierCompiler = (operand) => ({ way: "creates", apply: () => operand });

export const unset: ModifierCompiler = () => ({ way: "ignores", apply: () => undefined });

export const inc: ModifierCompiler = (operand, { path }) =>
  arithmetic("$inc", "increment", add, operand, path, (by) => by);

export const mul: ModifierCompiler = (operand, { path }) =>
  arithmetic("$mul", "multiply", multiply, operand, path, zeroLike);

function arithmetic(
  name: "$inc" | "$mul",
  verb: string,
  combine: typeof add,
  operand: Value,
  path: string,
  initial: (operand: Numeric) => Value,
): Modifier {
  if (!isNumeric(operand)) {
    throw new CommandError(
      "TypeMismatch",
      `Cannot ${verb} with non-numeric argument: {${path}: ${describe(operand)}}`,
    );
  }
  return {
    way: "creates",
    apply: (current, place) => {
      if (current === undefined) {
        return initial(operand);
      }
      if (!isNumeric(current)) {
        throw new CommandError(
          "TypeMismatch",
          `Cannot apply ${name} to a value of non-numeric type. {_id: ${describe(place.id)}} has the field '${fieldName(place)}' of non-numeric type ${typeName(current)}`,
        );
      }
      const result = combine(current, operand, "fail");
      if (result === undefined) {
        throw new CommandError(
          "BadValue",
          `Failed to apply ${name} operations to current value ((${longName(current)})${describe(current)}) for document {_id: ${describe(place.id)}}`,
        );
      }
      return result;
    },
  };
}

function longName(value: Value): string {
  return value instanceof Int32 ? "NumberInt" : "NumberLong";
}

function zeroLike(operand: Numeric): Value {
  if (operand instanceof Int32) {
    return new Int32(0);
  }
  if (operand instanceof Decimal128) {
    return Decimal128.fromString("0");
  }
  return typeof operand === "bigint" ? 0n : 0;
}

export const min: ModifierCompiler = (operand, { order }) => ({
  way: "creates",
  apply: (current) =>
    current === undefined || compareValues(operand, current, order) < 0 ? operand : current,
});

export const max: ModifierCompiler = (operand, { order }) => ({
  way: "creates",
  apply: (current) =>
    current === undefined || compareValues(operand, current, order) > 0 ? operand : current,
});

export const currentDate: ModifierCompiler = (operand) => {
  const type = currentDateType(operand);
  return {
    way: "creates",
    apply: (_current, { now }) =>
      type === "date" ? now : new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 }),
  };
};

function currentDateType(operand: Value): "date" | "timestamp" {
  if (typeof operand === "boolean") {
    return "date";
  }
  if (!isDoc(operand)) {
    throw new CommandError(
      "BadValue",
      `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  for (const [name, type] of operand) {
    if (name !== "$type") {
      throw new CommandError("BadValue", `Unrecognized $currentDate option: ${name}`);
    }
    if (type === "date" || type === "timestamp") {
      return type;
    }
  }
  throw new CommandError(
    "BadValue",
    "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
  );
}

type BitOperation = (a: bigint, b: bigint) => bigint;

const BIT_OPERATIONS: ReadonlyMap<string, BitOperation> = new Map([
  ["and", (a: bigint, b: bigint) => a & b],
  ["or", (a: bigint, b: bigint) => a | b],
  ["xor", (a: bigint, b: bigint) => a ^ b],
]);

export const bit: ModifierCompiler = (operand, { path }) => {
  if (!isDoc(operand)) {
    throw new CommandError(
      "BadValue",
      `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  }
  if (operand.size === 0) {
    throw new CommandError(
      "BadValue",
      `You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}`,
    );
  }
  const steps = [...operand].map(([name, mask]) => bitStep(name, mask, path));
  return {
    way: "creates",
    apply: (current, place) =>
      steps.reduce<Value>((value, step) => step(value, place), current ?? new Int32(0)),
  };
};

function bitStep(name: string, mask: Value, path: string): (value: Value, place: Place) => Value {
  const operation = BIT_OPERATIONS.get(name);
  if (operation === undefined) {
    throw new CommandError(
      "BadValue",
      `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: {${name}: ${describe(mask)}}`,
    );
  }
  if (!(mask instanceof Int32) && typeof mask !== "bigint") {
    throw new CommandError(
      "BadValue",
      `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(mask)}' is not supported here: {${path}: ${describe(mask)}}`,
    );
  }
  return (value, place) => {
    if (!(value instanceof Int32) && typeof value !== "bigint") {
      throw new CommandError(
        "BadValue",
        `Cannot apply $bit to a value of non-integral type. {_id: ${describe(place.id)}} has the field ${fieldName(place)} of non-integer type ${typeName(value)}`,
      );
    }
    const result = operation(integer(value), integer(mask));
    const isLong = typeof value === "bigint" || typeof mask === "bigint";
    return isLong ? result : new Int32(Number(result));
  };
}

function integer(value: Int32 | bigint): bigint {
  return typeof value === "bigint" ? value : BigInt(value.value);
}
