import { CommandError } from "../bson/command-error.ts";
import { type Doc, isDoc, isNumeric, typeName, type Value } from "../bson/value.ts";

/** Typed access to the fields of a command (or of a part of one), with MongoDB's complaints. */
export class Arguments {
  readonly name: string;
  readonly doc: Doc;

  constructor(name: string, doc: Doc) {
    this.name = name;
    this.doc = doc;
  }

  has(field: string): boolean {
    return this.doc.get(field) !== undefined;
  }

  string(field: string): string {
    const value = this.required(field);
    if (typeof value !== "string") {
      throw this.#wrongType(field, value, "string");
    }
    return value;
  }

  object(field: string): Doc {
    const value = this.required(field);
    if (!isDoc(value)) {
      throw this.#wrongType(field, value, "object");
    }
    return value;
  }

  optionalObject(field: string): Doc | undefined {
    const value = this.doc.get(field);
    return value === undefined || value === null ? undefined : this.object(field);
  }

  array(field: string): Value[] {
    const value = this.required(field);
    if (!Array.isArray(value)) {
      throw this.#wrongType(field, value, "array");
    }
    return value;
  }

  objects(field: string): Doc[] {
    return this.array(field).map((item, i) => {
      if (!isDoc(item)) {
        throw this.#wrongType(`${field}.${i}`, item, "object");
      }
      return item;
    });
  }

  optionalObjects(field: string): Doc[] {
    const value = this.doc.get(field);
    return value === undefined || value === null ? [] : this.objects(field);
  }

  boolean(field: string, fallback = false): boolean {
    const value = this.doc.get(field);
    if (value === undefined || value === null) {
      return fallback;
    }
    if (typeof value === "boolean") {
      return value;
    }
    if (isNumeric(value)) {
      return Number(value.toString()) !== 0;
    }
    throw this.#wrongType(field, value, "bool");
  }

  /** A whole number. */
  optionalInteger(field: string): number | undefined {
    const value = this.doc.get(field);
    if (value === undefined || value === null) {
      return undefined;
    }
    if (!isNumeric(value)) {
      throw this.#wrongType(field, value, "long");
    }
    const number = Number(value.toString());
    if (!Number.isFinite(number)) {
      throw new CommandError("BadValue", `${this.name}.${field} must be a finite number`);
    }
    return Math.trunc(number);
  }

  /** A whole number that is not negative. */
  optionalCount(field: string): number | undefined {
    const number = this.optionalInteger(field);
    if (number !== undefined && number < 0) {
      throw new CommandError(
        51024,
        `BSON field '${field}' value must be >= 0, actual value '${number}'`,
      );
    }
    return number;
  }

  /** Refuses a field that this server can't honour, unless it asks for nothing. */
  refuse(field: string, why: string): void {
    const value = this.doc.get(field);
    if (value === undefined || value === null || value === false) {
      return;
    }
    throw new CommandError("NotImplemented", `${this.name}.${field}: ${why}`);
  }

  /** The simple collation is the only one: strings compare by their bytes. */
  refuseCollation(): void {
    const collation = this.optionalObject("collation");
    if (collation === undefined || collation.size === 0) {
      return;
    }
    if (collation.get("locale") === "simple") {
      return;
    }
    throw new CommandError(
      "NotImplemented",
      `${this.name}.collation: only the locale "simple" is supported`,
    );
  }

  /** Refuses what is in none of the lists, as MongoDB does: a misspelt option must not be ignored. */
  allowOnly(...lists: (readonly string[])[]): void {
    for (const field of this.doc.keys()) {
      if (lists.some((list) => list.includes(field))) {
        continue;
      }
      throw new CommandError(40415, `BSON field '${this.name}.${field}' is an unknown field.`);
    }
  }

  required(field: string): Value {
    const value = this.doc.get(field);
    if (value === undefined) {
      throw new CommandError(
        40414,
        `BSON field '${this.name}.${field}' is missing but a required field`,
      );
    }
    return value;
  }

  #wrongType(field: string, value: Value, expected: string): CommandError {
    return new CommandError(
      "TypeMismatch",
      `BSON field '${this.name}.${field}' is the wrong type '${typeName(value)}', expected type '${expected}'`,
    );
  }
}
