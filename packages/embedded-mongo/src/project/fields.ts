import { CommandError } from "../bson/command-error.ts";
import { type Doc, isDoc, type Value } from "../bson/value.ts";

/** What a projection does with one field. */
export type Field =
  | { readonly kind: "include" }
  | { readonly kind: "exclude" }
  | { readonly kind: "nested"; readonly fields: Fields };

export type Fields = Map<string, Field>;

/** Adds a field at a dotted path, which may not lie above or below another one. */
export function addField(fields: Fields, path: string, field: Field): void {
  const names = checkedPath(path);
  let level = fields;
  for (const [i, name] of names.entries()) {
    const existing = level.get(name);
    if (i === names.length - 1) {
      if (existing !== undefined) {
        throw new CommandError(31250, `Path collision at ${path}`);
      }
      level.set(name, field);
      return;
    }
    if (existing === undefined) {
      const nested: Fields = new Map();
      level.set(name, { kind: "nested", fields: nested });
      level = nested;
    } else if (existing.kind === "nested") {
      level = existing.fields;
    } else {
      const rest = names.slice(i + 1).join(".");
      throw new CommandError(31249, `Path collision at ${path} remaining portion ${rest}`);
    }
  }
}

function checkedPath(path: string): string[] {
  if (path === "") {
    throw new CommandError(40352, "FieldPath cannot be constructed with empty string");
  }
  const names = path.split(".");
  if (names.at(-1) === "") {
    throw new CommandError(40353, "FieldPath must not end with a '.'.");
  }
  for (const name of names) {
    if (name === "") {
      throw new CommandError(15998, "FieldPath field names may not be empty strings.");
    }
    if (name.startsWith("$")) {
      throw new CommandError(
        16410,
        "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
      );
    }
  }
  return names;
}

/** Keeps the named fields, in the document's order. */
export function includeFields(doc: Doc, fields: Fields): Doc {
  const result: Doc = new Map();
  for (const [name, value] of doc) {
    const field = fields.get(name);
    if (field?.kind === "include") {
      result.set(name, value);
    } else if (field?.kind === "nested") {
      const kept = includeWithin(value, field.fields);
      if (kept !== undefined) {
        result.set(name, kept);
      }
    }
  }
  return result;
}

function includeWithin(value: Value, fields: Fields): Value | undefined {
  if (isDoc(value)) {
    return includeFields(value, fields);
  }
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const kept = includeWithin(item, fields);
      return kept === undefined ? [] : [kept];
    });
  }
  return undefined;
}

/** Leaves out the named fields. */
export function excludeFields(doc: Doc, fields: Fields): Doc {
  const result: Doc = new Map();
  for (const [name, value] of doc) {
    const field = fields.get(name);
    if (field?.kind === "nested") {
      result.set(name, excludeWithin(value, field.fields));
    } else if (field?.kind !== "exclude") {
      result.set(name, value);
    }
  }
  return result;
}

function excludeWithin(value: Value, fields: Fields): Value {
  if (isDoc(value)) {
    return excludeFields(value, fields);
  }
  return Array.isArray(value) ? value.map((item) => excludeWithin(item, fields)) : value;
}
