import { ObjectId } from "bson";
import { checkStorableId } from "../bson/check-storable-id.ts";
import { CommandError } from "../bson/command-error.ts";
import { describe } from "../bson/describe.ts";
import { identical } from "../bson/document.ts";
import { type Doc, isDoc, type Value } from "../bson/value.ts";
import { compileOperators } from "./compile-operators.ts";
import type { UpdateOptions } from "./modifier.ts";

export type { UpdateOptions } from "./modifier.ts";

export interface Update {
  /** The given document is left as it is. `changed` is false if its bytes would be the same. */
  apply(doc: Doc, options: UpdateOptions): { doc: Doc; changed: boolean };
  /** A replacement can't be used with multi. */
  readonly kind: "operators" | "replacement";
  /** The positional `$` occurs, so that `matchedArrayIndex` is needed. */
  readonly positional: boolean;
}

/** Compiles operators or a replacement; what is wrong in itself is refused here. */
export function compileUpdate(update: Value): Update {
  if (Array.isArray(update)) {
    throw new CommandError("NotImplemented", "an update by a pipeline is not supported");
  }
  if (!isDoc(update)) {
    throw new CommandError("FailedToParse", "Update argument must be either an object or an array");
  }
  const [first] = update.keys();
  if (first?.startsWith("$")) {
    const operators = compileOperators(update);
    return finished("operators", operators.positional, operators.apply);
  }
  for (const name of update.keys()) {
    if (name.startsWith("$")) {
      throw new CommandError(
        "DollarPrefixedFieldName",
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
  }
  return finished("replacement", false, (doc) => replaced(doc, update));
}

function replaced(doc: Doc, replacement: Doc): Doc {
  const id = replacement.has("_id") ? replacement.get("_id") : doc.get("_id");
  const next: Doc = new Map(id === undefined ? [] : [["_id", id]]);
  for (const [name, value] of replacement) {
    next.set(name, value);
  }
  return next;
}

function finished(
  kind: Update["kind"],
  positional: boolean,
  run: (doc: Doc, options: UpdateOptions) => Doc,
): Update {
  return {
    kind,
    positional,
    apply: (doc, options) => {
      const next = run(doc, options);
      checkId(doc.get("_id"), next.get("_id"), kind);
      const result = options.isUpsertInsert ? withId(next) : next;
      return { doc: result, changed: !identical(doc, result) };
    },
  };
}

function checkId(before: Value | undefined, after: Value | undefined, kind: Update["kind"]): void {
  if (before !== undefined && !identical(before, after)) {
    throw new CommandError(
      "ImmutableField",
      kind === "operators"
        ? "Performing an update on the path '_id' would modify the immutable field '_id'"
        : `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${describe(after)}`,
    );
  }
  checkStorableId(after);
}

/** The document with its _id first, made if there is none, as it is stored on insertion. */
function withId(doc: Doc): Doc {
  const [first] = doc.keys();
  if (first === "_id") {
    return doc;
  }
  const id = doc.get("_id");
  const result: Doc = new Map([["_id", id === undefined ? new ObjectId() : id]]);
  for (const [name, value] of doc) {
    if (name !== "_id") {
      result.set(name, value);
    }
  }
  return result;
}
