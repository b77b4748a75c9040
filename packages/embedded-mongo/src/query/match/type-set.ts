import { describe } from "../describe.ts";
import { CommandError } from "../error.ts";
import { isNumeric, TYPE_NUMBERS, type TypeName, typeName, type Value } from "../value.ts";

const NAMES = new Map<string, TypeName>();
const NUMBERS = new Map<number, TypeName>();
for (const name of Object.keys(TYPE_NUMBERS)) {
  if (!isTypeName(name)) {
    continue;
  }
  NAMES.set(name, name);
  NUMBERS.set(TYPE_NUMBERS[name], name);
}

function isTypeName(name: string): name is TypeName {
  return Object.hasOwn(TYPE_NUMBERS, name);
}

const NUMBER_TYPES: readonly TypeName[] = ["double", "int", "long", "decimal"];

/** The test behind $type: names, numbers, "number", or an array of these. */
export function compileTypeSet(spec: Value, operator: string): (value: Value) => boolean {
  const types = new Set<TypeName>();
  const items = Array.isArray(spec) ? spec : [spec];
  if (items.length === 0) {
    throw new CommandError("FailedToParse", `${operator} must match at least one type`);
  }
  for (const item of items) {
    if (item === "number") {
      for (const name of NUMBER_TYPES) {
        types.add(name);
      }
    } else {
      types.add(typeFor(item));
    }
  }
  return (value) => types.has(typeName(value));
}

function typeFor(item: Value): TypeName {
  if (typeof item === "string") {
    const name = NAMES.get(item);
    if (name === undefined) {
      throw new CommandError("BadValue", `Unknown type name alias: ${item}`);
    }
    return name;
  }
  if (!isNumeric(item)) {
    throw new CommandError("TypeMismatch", "type must be represented as a number or a string");
  }
  const name = NUMBERS.get(Number(item.toString()));
  if (name === undefined) {
    throw new CommandError("BadValue", `Invalid numerical type code: ${describe(item)}`);
  }
  return name;
}
