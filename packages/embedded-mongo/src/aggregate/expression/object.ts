import { Binary, Int32 } from "bson";
import { documentSize } from "../../query/document.ts";
import { CommandError } from "../../query/error.ts";
import { type Doc, isDoc, isNullish, type Value } from "../../query/value.ts";
import { arrayOrNull } from "./array.ts";
import {
  type Compiler,
  type Evaluate,
  missing,
  namedOperands,
  nary,
  type OperatorCompiler,
  typeOf,
  unary,
} from "./operator.ts";

type Maybe = Value | undefined;

export function mergeInto(target: Doc, value: Maybe): void {
  if (isNullish(value)) {
    return;
  }
  if (!isDoc(value)) {
    throw new CommandError(
      40400,
      `$mergeObjects requires object inputs, but input is of type ${typeOf(value)}`,
    );
  }
  for (const [name, field] of value) {
    target.set(name, field);
  }
}

const mergeObjects = nary(0, Number.POSITIVE_INFINITY, (values) => {
  const result: Doc = new Map();
  const [only] = values;
  const items = values.length === 1 && Array.isArray(only) ? only : values;
  for (const item of items) {
    mergeInto(result, item);
  }
  return result;
});

const objectToArray = unary((value) => {
  if (isNullish(value)) {
    return null;
  }
  if (!isDoc(value)) {
    throw new CommandError(
      40390,
      `$objectToArray requires a document input, found: ${typeOf(value)}`,
    );
  }
  return [...value].map(
    ([k, v]): Doc =>
      new Map([
        ["k", k],
        ["v", v],
      ]),
  );
});

const arrayToObject = unary((value) => {
  const array = arrayOrNull(value, 40386, "$arrayToObject requires an array input");
  if (array === null) {
    return null;
  }
  const result: Doc = new Map();
  for (const item of array) {
    const [name, field] = pairOf(item);
    if (typeof name !== "string" || field === undefined) {
      throw new CommandError(
        40394,
        `$arrayToObject requires pairs of a string and a value, or documents with 'k' and 'v'; found: ${typeOf(item)}`,
      );
    }
    result.set(name, field);
  }
  return result;
});

function pairOf(item: Value): readonly Maybe[] {
  if (Array.isArray(item)) {
    return item.length === 2 ? item : [];
  }
  return isDoc(item) && item.size === 2 ? [item.get("k"), item.get("v")] : [];
}

const getField: OperatorCompiler = (operand, compiler, name) => {
  const isNamed = isDoc(operand) && !operandIsExpression(operand);
  const fields = isNamed
    ? namedOperands(operand, name, ["field"], ["input"])
    : new Map([["field", operand]]);
  const field = fieldName(fields.get("field"), compiler, name);
  const input = fields.has("input")
    ? compiler.compile(fields.get("input") ?? null)
    : compiler.compile("$$CURRENT");
  return (env) => {
    const target = input(env);
    if (isDoc(target)) {
      return target.get(field(env));
    }
    return target === null ? null : undefined;
  };
};

function operandIsExpression(operand: Doc): boolean {
  const [first] = operand.keys();
  return first?.startsWith("$") === true;
}

function fieldName(
  spec: Maybe,
  compiler: Compiler,
  name: string,
): (env: Parameters<Evaluate>[0]) => string {
  const evaluate = spec === undefined ? missing : compiler.compile(spec);
  return (env) => {
    const field = evaluate(env);
    if (typeof field === "string") {
      return field;
    }
    throw new CommandError(
      3041704,
      `${name} requires 'field' to evaluate to type String, but got ${typeOf(field)}`,
    );
  };
}

function fieldSetter(removes: boolean): OperatorCompiler {
  return (operand, compiler, name) => {
    const fields = namedOperands(
      operand,
      name,
      removes ? ["field", "input"] : ["field", "input", "value"],
    );
    const field = fieldName(fields.get("field"), compiler, name);
    const input = compiler.compile(fields.get("input") ?? null);
    const value = removes ? missing : compiler.compile(fields.get("value") ?? null);
    return (env) => {
      const target = input(env);
      if (isNullish(target)) {
        return null;
      }
      if (!isDoc(target)) {
        throw new CommandError(
          4161105,
          `${name} requires 'input' to evaluate to type Object, but got ${typeOf(target)}`,
        );
      }
      const result: Doc = new Map(target);
      const set = value(env);
      if (set === undefined) {
        result.delete(field(env));
      } else {
        result.set(field(env), set);
      }
      return result;
    };
  };
}

const binarySize = unary((value) => {
  if (isNullish(value)) {
    return null;
  }
  if (typeof value === "string") {
    return new Int32(Buffer.byteLength(value));
  }
  if (value instanceof Binary) {
    return new Int32(value.position);
  }
  throw new CommandError(
    51276,
    `$binarySize requires a string or BinData argument, found: ${typeOf(value)}`,
  );
});

const bsonSize = unary((value) => {
  if (isNullish(value)) {
    return null;
  }
  if (isDoc(value)) {
    return new Int32(documentSize(value));
  }
  throw new CommandError(31393, `$bsonSize requires a document input, found: ${typeOf(value)}`);
});

export const objects: ReadonlyMap<string, OperatorCompiler> = new Map([
  ["$mergeObjects", mergeObjects],
  ["$objectToArray", objectToArray],
  ["$arrayToObject", arrayToObject],
  ["$getField", getField],
  ["$setField", fieldSetter(false)],
  ["$unsetField", fieldSetter(true)],
  ["$binarySize", binarySize],
  ["$bsonSize", bsonSize],
]);
