import { CommandError } from "../../bson/command-error.ts";
import { describe } from "../../bson/describe.ts";
import { docOf } from "../../bson/document.ts";
import { type Doc, isDoc, isNumeric, type Value } from "../../bson/value.ts";
import { compileFilter } from "../../match/compile-filter.ts";
import { Arguments } from "../arguments.ts";

const indexOptions = [
  "v",
  "key",
  "name",
  "ns",
  "background",
  "unique",
  "sparse",
  "partialFilterExpression",
  "expireAfterSeconds",
  "hidden",
  "collation",
];
const partialOperators = ["$eq", "$exists", "$gt", "$gte", "$lt", "$lte", "$in"];
const maxExpiry = 2 ** 31 - 1;

/** Checks an index specification and gives it the form in which it is stored and listed. */
export function indexSpec(given: Doc): Doc {
  for (const option of given.keys()) {
    if (indexOptions.includes(option)) {
      continue;
    }
    throw new CommandError(
      "InvalidIndexSpecificationOption",
      `The field '${option}' is not valid for an index specification. Specification: ${describe(given)}`,
    );
  }
  const args = new Arguments("createIndexes.indexes", given);
  const version = args.optionalInteger("v") ?? 2;
  if (version !== 2) {
    throw cannotCreate(`Invalid index specification: version ${version} is not supported`);
  }
  args.refuse("hidden", "hidden indexes are not supported");
  args.refuseCollation();
  const key = checkKey(args.object("key"));
  const isId = key.size === 1 && key.has("_id");
  const spec: Doc = docOf({ v: 2, key, name: isId ? "_id_" : checkName(args.string("name")) });
  if (isId) {
    return spec;
  }

  if (args.boolean("unique")) {
    spec.set("unique", true);
  }
  if (args.boolean("sparse")) {
    spec.set("sparse", true);
  }
  const partial = args.optionalObject("partialFilterExpression");
  if (partial !== undefined) {
    if (spec.has("sparse")) {
      throw cannotCreate('cannot mix "partialFilterExpression" and "sparse" options');
    }
    checkPartial(partial);
    spec.set("partialFilterExpression", partial);
  }
  const expiry = given.get("expireAfterSeconds");
  if (expiry !== undefined) {
    spec.set("expireAfterSeconds", checkExpiry(expiry, key));
  }
  return spec;
}

function checkKey(key: Doc): Doc {
  if (key.size === 0) {
    throw cannotCreate("Index keys cannot be empty.");
  }
  for (const [path, kind] of key) {
    if (typeof kind === "string" || path.includes("$**")) {
      throw new CommandError(
        "NotImplemented",
        `${typeof kind === "string" ? kind : "wildcard"} indexes are not supported`,
      );
    }
    if (!isNumeric(kind) || !(Math.abs(Number(kind.toString())) > 0)) {
      throw cannotCreate(
        `Values in v:2 index key pattern cannot be of type or value ${describe(kind)}. Only numbers > 0, numbers < 0, and strings are allowed.`,
      );
    }
    if (path === "" || path.split(".").includes("")) {
      throw cannotCreate("Index key contains an empty field name");
    }
    if (path.startsWith("$")) {
      throw cannotCreate(`Index key contains an illegal field name: field name starts with '$'.`);
    }
  }
  return key;
}

function checkName(name: string): string {
  if (name === "" || name === "*" || name.includes("\0")) {
    throw cannotCreate(`The index name '${name}' is not valid`);
  }
  return name;
}

function checkExpiry(expiry: Value, key: Doc): Value {
  const seconds = isNumeric(expiry) ? Number(expiry.toString()) : Number.NaN;
  if (!(seconds >= 0 && seconds <= maxExpiry)) {
    throw cannotCreate(
      `TTL index 'expireAfterSeconds' option must be numeric and between 0 and ${maxExpiry}`,
    );
  }
  if (key.size > 1) {
    throw cannotCreate("TTL indexes are single-field indexes, compound indexes do not support TTL");
  }
  return expiry;
}

function checkPartial(partial: Doc): void {
  for (const [path, condition] of partial) {
    if (path === "$and" || path === "$or") {
      for (const part of Array.isArray(condition) ? condition : []) {
        if (isDoc(part)) {
          checkPartial(part);
        }
      }
    } else if (path.startsWith("$")) {
      throw cannotCreate(`unsupported expression in partial index: ${path}`);
    } else if (isDoc(condition)) {
      for (const [operator, operand] of condition) {
        const unsupported = operator.startsWith("$") && !partialOperators.includes(operator);
        if (unsupported || (operator === "$exists" && operand === false)) {
          throw cannotCreate(`unsupported expression in partial index: ${path}: ${operator}`);
        }
      }
    }
  }
  compileFilter(partial);
}

function cannotCreate(message: string): CommandError {
  return new CommandError("CannotCreateIndex", message);
}
