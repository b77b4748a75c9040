import { compileExpression } from "../aggregate/expression.ts";
import { identical } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import { compileUpdate } from "../query/update.ts";
import { type Doc, isDoc, type Value } from "../query/value.ts";
import type { Collection } from "../storage/collection.ts";
import { duplicateKey } from "../storage/duplicate-key.ts";
import { Arguments } from "./arguments.ts";
import type { CommandContext } from "./command.ts";

export interface Merge {
  into: { db: string; name: string };
  /** The fields must identify a document, or results would be merged into any of several. */
  check(collection: Collection): void;
  filterFor(doc: Doc): Doc;
  /** The document after the merge; undefined keeps the one that is there. */
  combine(existing: Doc, incoming: Doc): Doc | undefined;
  inserts(doc: Doc): boolean;
}

/** $merge, as its specification says it. */
export function compileMerge({ db }: CommandContext, given: Value): Merge {
  const spec = isDoc(given) ? given : new Map<string, Value>([["into", given]]);
  const args = new Arguments("$merge", spec);
  args.allowOnly(["into", "on", "let", "whenMatched", "whenNotMatched"]);
  const on = fieldsOf(spec.get("on"));
  const whenMatched = spec.get("whenMatched") ?? "merge";
  const whenNotMatched = spec.get("whenNotMatched") ?? "insert";
  if (!["insert", "discard", "fail"].some((choice) => choice === whenNotMatched)) {
    throw new CommandError(
      "BadValue",
      "Enumeration value for field '$merge.whenNotMatched' is not valid",
    );
  }
  const into = targetOf(args, db);
  return {
    into,
    check: (collection) => checkFields(collection, on),
    filterFor: (doc) => new Map(on.map((path) => [path, new Map([["$eq", keyOf(doc, path)]])])),
    combine: combiner(whenMatched, args.optionalObject("let"), `${into.db}.${into.name}`),
    inserts: () => {
      if (whenNotMatched === "fail") {
        throw new CommandError(
          13113,
          "$merge could not find a matching document in the target collection for at least one document in the source collection",
        );
      }
      return whenNotMatched === "insert";
    },
  };
}

function targetOf(args: Arguments, db: string): Merge["into"] {
  const into = args.required("into");
  if (typeof into === "string") {
    return { db, name: into };
  }
  const target = new Arguments("$merge.into", args.object("into"));
  target.allowOnly(["db", "coll"]);
  return { db: target.has("db") ? target.string("db") : db, name: target.string("coll") };
}

function fieldsOf(on: Value | undefined): string[] {
  const names = Array.isArray(on) ? on : [on ?? "_id"];
  return names.map((name) => {
    if (typeof name === "string") {
      return name;
    }
    throw new CommandError(51186, "$merge 'on' must be a string or an array of strings");
  });
}

function checkFields(collection: Collection, on: readonly string[]): void {
  const wanted = [...on].sort().join("\0");
  const unique = collection.indexes.some(
    (index) =>
      index.unique && index.partial === undefined && [...index.paths].sort().join("\0") === wanted,
  );
  if (!unique) {
    throw new CommandError(51183, "Cannot find index to verify that join fields will be unique");
  }
}

function keyOf(doc: Doc, path: string): Value {
  let value: Value | undefined = doc;
  for (const name of path.split(".")) {
    value = isDoc(value) ? value.get(name) : undefined;
  }
  if (value === undefined || value === null || Array.isArray(value)) {
    throw new CommandError(
      51132,
      "$merge write error: 'on' field cannot be missing, null, undefined or an array",
    );
  }
  return value;
}

function combiner(
  whenMatched: Value,
  variables: Doc | undefined,
  namespace: string,
): Merge["combine"] {
  if (Array.isArray(whenMatched)) {
    return byPipeline(whenMatched, variables);
  }
  switch (whenMatched) {
    case "merge":
      return (existing, incoming) => changed(existing, new Map([...existing, ...incoming]));
    case "replace":
      return (existing, incoming) =>
        changed(existing, new Map([["_id", existing.get("_id") ?? null], ...incoming]));
    case "keepExisting":
      return () => undefined;
    case "fail":
      return (existing) => {
        const id = existing.get("_id") ?? null;
        throw duplicateKey(namespace, "_id_", new Map([["_id", 1]]), [id]);
      };
    default:
      throw new CommandError(
        51191,
        "Enumeration value for field '$merge.whenMatched' is not valid",
      );
  }
}

function byPipeline(stages: Value[], variables: Doc | undefined): Merge["combine"] {
  const now = new Date();
  const given = variables ?? new Map<string, Value>([["new", "$$ROOT"]]);
  return (existing, incoming) => {
    const values: Doc = new Map([["new", incoming]]);
    for (const [name, expression] of given) {
      values.set(name, compileExpression(expression, { now })(incoming) ?? null);
    }
    const { doc } = compileUpdate(stages, { variables: values }).apply(existing, {
      isUpsertInsert: false,
      now,
    });
    return changed(existing, doc);
  };
}

function changed(existing: Doc, after: Doc): Doc | undefined {
  if (!identical(existing.get("_id"), after.get("_id"))) {
    throw new CommandError(
      "ImmutableField",
      "$merge failed to update the matching document, did you attempt to modify the _id or the shard key?",
    );
  }
  return identical(existing, after) ? undefined : after;
}
