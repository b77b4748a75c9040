import { isObject, type JsonObject } from "./json.ts";

export type WantedValue = string | number | WantedValue[] | { fields: Wish[] };

/** A value for a tool's parameter, and what the parameter may be called instead of `name`. */
export interface Wish {
  name: string;
  like: RegExp;
  value: WantedValue;
}

/** Arguments that the schema accepts, also when a parameter has been renamed or added. */
export function fitArguments(schema: JsonObject, wishes: Wish[]): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties);
  if (names.length === 0) {
    return Object.fromEntries(wishes.map((wish) => [wish.name, shape(wish.value, {})]));
  }
  const claimed = new Set(wishes.map((wish) => wish.name).filter((name) => names.includes(name)));
  const result: JsonObject = {};
  for (const wish of wishes) {
    const name = names.includes(wish.name)
      ? wish.name
      : names.find((n) => !claimed.has(n) && wish.like.test(n) && takes(properties[n], wish.value));
    if (name === undefined) {
      continue;
    }
    claimed.add(name);
    result[name] = shape(wish.value, properties[name]);
  }
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  for (const name of required) {
    if (typeof name === "string" && !(name in result)) {
      result[name] = filler(properties[name]);
    }
  }
  return result;
}

function takes(schema: unknown, value: WantedValue): boolean {
  const types = typesOf(schema);
  if (types.length === 0) {
    return true;
  }
  if (Array.isArray(value)) {
    return types.includes("array");
  }
  if (typeof value === "number") {
    return types.includes("number") || types.includes("integer");
  }
  return types.includes("string") || (typeof value === "object" && types.includes("object"));
}

function shape(value: WantedValue, schema: unknown): unknown {
  const types = typesOf(schema);
  if (Array.isArray(value)) {
    const items = isObject(schema) ? schema.items : undefined;
    return value.map((item) => shape(item, items));
  }
  if (typeof value === "object") {
    if (types.includes("string")) {
      return value.fields[0]?.value;
    }
    return fitArguments(isObject(schema) ? schema : {}, value.fields);
  }
  if (typeof value === "number") {
    return clamp(value, schema);
  }
  if (types.includes("object") && isObject(schema)) {
    return fitArguments(schema, [{ name: "label", like: /text|title|name|value/i, value }]);
  }
  return value;
}

function clamp(value: number, schema: unknown): number {
  if (!isObject(schema)) {
    return value;
  }
  const minimum = typeof schema.minimum === "number" ? schema.minimum : value;
  const maximum = typeof schema.maximum === "number" ? schema.maximum : value;
  return Math.min(Math.max(value, minimum), maximum);
}

function filler(schema: unknown): unknown {
  if (isObject(schema)) {
    if ("default" in schema) {
      return schema.default;
    }
    if (Array.isArray(schema.enum)) {
      return schema.enum[0];
    }
    if (Array.isArray(schema.anyOf)) {
      return typesOf(schema).includes("null") ? null : filler(schema.anyOf[0]);
    }
  }
  const types = typesOf(schema);
  if (types.includes("null")) {
    return null;
  }
  if (types.includes("boolean")) {
    return false;
  }
  if (types.includes("number") || types.includes("integer")) {
    return clamp(1, schema);
  }
  if (types.includes("array")) {
    return [];
  }
  if (types.includes("object")) {
    return fitArguments(isObject(schema) ? schema : {}, []);
  }
  return "demo";
}

function typesOf(schema: unknown): string[] {
  if (!isObject(schema)) {
    return [];
  }
  if (typeof schema.type === "string") {
    return [schema.type];
  }
  if (Array.isArray(schema.type)) {
    return schema.type.filter((t) => typeof t === "string");
  }
  return Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(typesOf) : [];
}
