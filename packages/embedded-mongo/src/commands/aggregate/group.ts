import { Decimal128, Int32 } from "bson";
import { CommandError } from "../../bson/command-error.ts";
import { describe } from "../../bson/describe.ts";
import { fitsInt64, intOrLong } from "../../bson/numeric.ts";
import { type Doc, isDoc, isNumeric, type Numeric, type Value } from "../../bson/value.ts";
import { encodeIndexKey } from "../../keys/index-key.ts";
import type { Stage } from "./stage.ts";

type Operand = (doc: Doc) => Value | undefined;

/** `$group` by a field or by nothing, with sums. */
export function group(spec: Value): Stage {
  if (!isDoc(spec)) {
    throw new CommandError(15947, "a group's fields must be specified in an object");
  }
  const idSpec = spec.get("_id");
  if (idSpec === undefined) {
    throw new CommandError(15955, "a group specification must include an _id");
  }
  const id = compileOperand(idSpec);
  const fields = [...spec].filter(([name]) => name !== "_id");
  const sums = fields.map(([name, field]) => [name, sumOperand(name, field)] as const);
  return async function* grouped(input) {
    const groups = new Map<string, { key: Value; totals: Sum[] }>();
    for await (const doc of input) {
      const key = id(doc) ?? null;
      const text = Buffer.from(encodeIndexKey([key], [1])).toString("latin1");
      let found = groups.get(text);
      if (found === undefined) {
        found = { key, totals: sums.map(() => new Sum()) };
        groups.set(text, found);
      }
      for (const [i, [, operand]] of sums.entries()) {
        found.totals[i]?.add(operand(doc));
      }
    }
    for (const { key, totals } of groups.values()) {
      const result: Doc = new Map([["_id", key]]);
      for (const [i, [name]] of sums.entries()) {
        result.set(name, totals[i]?.result() ?? null);
      }
      yield result;
    }
  };
}

function sumOperand(name: string, spec: Value): Operand {
  if (name.includes(".")) {
    throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
  }
  if (name.startsWith("$")) {
    throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
  }
  if (!isDoc(spec)) {
    throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
  }
  const [operator, operand] = [...spec][0] ?? [];
  if (operator === undefined || operand === undefined || spec.size !== 1) {
    throw new CommandError(
      40238,
      `The field '${name}' must specify one accumulator: ${describe(spec)}`,
    );
  }
  if (operator !== "$sum") {
    throw new CommandError("NotImplemented", `the accumulator ${operator} is not supported`);
  }
  return compileOperand(operand);
}

/** A field's path or a constant; every other expression is refused. */
function compileOperand(spec: Value): Operand {
  if (isDoc(spec) || Array.isArray(spec)) {
    const [name = ""] = isDoc(spec) ? spec.keys() : [];
    const what = name.startsWith("$") ? `the expression ${name}` : "an object or an array";
    throw new CommandError("NotImplemented", `${what} in $group is not supported`);
  }
  if (typeof spec !== "string" || !spec.startsWith("$")) {
    return () => spec;
  }
  if (spec.startsWith("$$")) {
    throw new CommandError("NotImplemented", `the variable ${spec} is not supported`);
  }
  const names = spec.slice(1).split(".");
  if (names.includes("")) {
    throw new CommandError(15998, "FieldPath field names may not be empty strings.");
  }
  return (doc) => valueAt(doc, names);
}

/** Through an array a path gives the array of what is in its documents. */
function valueAt(value: Value | undefined, names: readonly string[]): Value | undefined {
  const [name, ...rest] = names;
  if (name === undefined) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const found = isDoc(item) ? valueAt(item, names) : undefined;
      return found === undefined ? [] : [found];
    });
  }
  return isDoc(value) ? valueAt(value.get(name), rest) : undefined;
}

/**
 * A sum that has the widest type of its numbers: integers are added exactly (a long that overflows
 * becomes a double), doubles with Neumaier's compensation.
 */
class Sum {
  #integers = 0n;
  #doubles = 0;
  #compensation = 0;
  #widest: "int" | "long" | "double" = "int";

  add(value: Value | undefined): void {
    if (!isNumeric(value)) {
      return;
    }
    if (value instanceof Decimal128) {
      throw new CommandError("NotImplemented", "the $sum of a decimal is not supported");
    }
    if (value instanceof Int32) {
      this.#integers += BigInt(value.value);
    } else if (typeof value === "bigint") {
      this.#integers += value;
      this.#widest = this.#widest === "int" ? "long" : this.#widest;
    } else {
      const next = this.#doubles + value;
      this.#compensation +=
        Math.abs(this.#doubles) >= Math.abs(value)
          ? this.#doubles - next + value
          : value - next + this.#doubles;
      this.#doubles = next;
      this.#widest = "double";
    }
  }

  result(): Numeric {
    const integers = this.#integers;
    if (this.#widest === "double") {
      const exact = Number.isFinite(this.#doubles);
      return this.#doubles + (exact ? this.#compensation : 0) + Number(integers);
    }
    if (!fitsInt64(integers)) {
      return Number(integers);
    }
    return this.#widest === "long" ? integers : intOrLong(integers);
  }
}
