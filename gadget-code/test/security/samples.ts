import * as z from "zod/mini";

/** As much of JSON Schema as the project's own schemas use. */
interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema | JsonSchema[];
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  additionalProperties?: boolean | JsonSchema;
}

export type Values = Readonly<Record<string, string>>;

export function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod types it more loosely than what it makes
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}

const variantsOf = (schema: JsonSchema): JsonSchema[] | undefined => schema.anyOf ?? schema.oneOf;

/** A value that the schema takes, with every optional key; `values` gives strings by their key. */
export function sampleOf(schema: JsonSchema, values: Values = {}, key = ""): unknown {
  const [variant] = variantsOf(schema) ?? [];
  if (variant !== undefined) {
    return sampleOf(variant, values, key);
  }
  if (schema.const !== undefined) {
    return schema.const;
  }
  if (schema.enum !== undefined) {
    return schema.enum[0];
  }
  switch (schema.type) {
    case "object": {
      const entries = Object.entries(schema.properties ?? {});
      return Object.fromEntries(entries.map(([name, of]) => [name, sampleOf(of, values, name)]));
    }
    case "array": {
      if (schema.prefixItems !== undefined) {
        return schema.prefixItems.map((item, index) => sampleOf(item, values, String(index)));
      }
      const { items } = schema;
      return items === undefined || Array.isArray(items) ? [] : [sampleOf(items, values, key)];
    }
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 0, (schema.exclusiveMinimum ?? -1) + 1);
    case "boolean":
      return true;
    case "string":
      return values[key] ?? textOf(schema, key);
    default:
      return "anything";
  }
}

function textOf({ format, pattern, minLength = 0 }: JsonSchema, key: string): string {
  if (format === "email") {
    return "somebody@example.com";
  }
  if (format === "uri") {
    return "http://127.0.0.1:9";
  }
  if (format === "date-time" || pattern?.includes("T(?:") === true) {
    return "2026-01-01T00:00:00.000Z";
  }
  if (key === "limit" || key === "after") {
    return "1";
  }
  if (key === "password") {
    return "a long enough password";
  }
  return "sample_0123456789".padEnd(minLength, "x");
}

/** What attackers put where a string should be. */
export const operators: unknown[] = [
  { $ne: null },
  { $regex: ".*" },
  { $where: "sleep(1000)" },
  { $nor: [] },
];

/** An own key of that name, as JSON.parse makes it. */
const polluted = (value: object): object =>
  JSON.parse(
    JSON.stringify(value).replace(/^\{/, '{"__proto__":{"isAdmin":true},').replace(/,\}$/, "}"),
  ) as object;

/** The sample again and again, each time with one field, however deep, replaced by an operator. */
export function* attacksOn(
  schema: JsonSchema,
  values: Values = {},
  key = "",
): Generator<{ field: string; value: unknown }> {
  const variants = variantsOf(schema);
  if (variants !== undefined) {
    for (const variant of variants) {
      yield* attacksOn(variant, values, key);
    }
    return;
  }
  // A field that takes anything takes these too: they are data there, and stay data.
  if (schema.type === undefined && schema.const === undefined && schema.enum === undefined) {
    return;
  }
  if (schema.type === "null") {
    return;
  }
  for (const operator of operators) {
    if (schema.type !== "object") {
      yield { field: key, value: operator };
    }
  }
  if (schema.type === "object") {
    yield* attacksOnObject(schema, values, key);
  } else if (schema.type === "array") {
    yield* attacksOnArray(schema, values, key);
  }
}

function* attacksOnObject(schema: JsonSchema, values: Values, key: string) {
  const whole = Object(sampleOf(schema, values)) as Record<string, unknown>;
  if (schema.additionalProperties === false) {
    for (const operator of operators) {
      yield { field: `${key} beside`, value: { ...whole, ...Object(operator) } as unknown };
    }
    yield { field: `${key} __proto__`, value: polluted(whole) as unknown };
    yield { field: `${key} constructor`, value: { ...whole, constructor: { prototype: {} } } };
  }
  for (const [name, of] of Object.entries(schema.properties ?? {})) {
    for (const { field, value } of attacksOn(of, values, name)) {
      yield { field: key === "" ? field : `${key}.${field}`, value: { ...whole, [name]: value } };
    }
  }
}

function* attacksOnArray(schema: JsonSchema, values: Values, key: string) {
  const { prefixItems, items } = schema;
  const whole = sampleOf(schema, values, key);
  if (prefixItems !== undefined && Array.isArray(whole)) {
    for (const [index, item] of prefixItems.entries()) {
      for (const { field, value } of attacksOn(item, values, String(index))) {
        yield { field, value: whole.with(index, value) as unknown };
      }
    }
  } else if (items !== undefined && !Array.isArray(items)) {
    for (const { field, value } of attacksOn(items, values, key)) {
      yield { field: `${field}[]`, value: [value] };
    }
  }
}
