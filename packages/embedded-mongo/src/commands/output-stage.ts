import { ObjectId } from "bson";
import { encode } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import { type Doc, isDoc, type Value } from "../query/value.ts";
import type { Collection } from "../storage/collection.ts";
import { Arguments } from "./arguments.ts";
import { type CommandContext, checkDatabaseName, checkWritableName } from "./command.ts";
import { compileMerge } from "./merge.ts";
import { targets } from "./target.ts";

/** What becomes of the results of a pipeline that ends in $out or $merge. Runs inside a write. */
type Output = (results: readonly Doc[]) => void;

/** The output stage at the end of a pipeline, if there is one, and the stages before it. */
export function outputStage(
  context: CommandContext,
  stages: readonly Doc[],
): { output: Output; rest: readonly Doc[] } | undefined {
  const last = stages.at(-1);
  for (const stage of stages.slice(0, -1)) {
    const name = stage.has("$out") ? "$out" : "$merge";
    if (stage.has(name)) {
      throw new CommandError(40601, `${name} can only be the final stage in the pipeline`);
    }
  }
  const rest = stages.slice(0, -1);
  const out = last?.get("$out");
  if (out !== undefined) {
    return { output: replaceAll(context, out), rest };
  }
  const merge = last?.get("$merge");
  if (merge !== undefined) {
    return { output: mergeInto(context, merge), rest };
  }
  return undefined;
}

/** $out: the collection holds the results and nothing else, with the indexes that it had. */
function replaceAll(context: CommandContext, spec: Value): Output {
  const into = typeof spec === "string" ? { db: context.db, name: spec } : outTarget(spec);
  checkTarget(into);
  return (results) => {
    const collection = targetCollection(context, into);
    const all = targets(context, collection, { filter: new Map() }, Number.POSITIVE_INFINITY);
    for (const { rid, doc } of all.records) {
      collection.remove(rid, doc);
    }
    for (const doc of results) {
      insert(collection, doc);
    }
  };
}

function outTarget(spec: Value): { db: string; name: string } {
  if (!isDoc(spec)) {
    throw new CommandError(16990, "$out only supports a string or object argument");
  }
  const args = new Arguments("$out", spec);
  args.refuse("timeseries", "time series collections are not supported");
  args.allowOnly(["db", "coll", "timeseries"]);
  return { db: args.string("db"), name: args.string("coll") };
}

function mergeInto(context: CommandContext, spec: Value): Output {
  const merge = compileMerge(context, spec);
  checkTarget(merge.into);
  return (results) => {
    const collection = targetCollection(context, merge.into);
    merge.check(collection);
    for (const doc of results) {
      const withId = identified(doc);
      const [record] = targets(context, collection, { filter: merge.filterFor(withId) }, 1).records;
      if (record === undefined) {
        if (merge.inserts(withId)) {
          insert(collection, withId);
        }
      } else {
        const after = merge.combine(record.doc, withId);
        if (after !== undefined) {
          collection.replace(record.rid, record.doc, after);
        }
      }
    }
  };
}

function insert(collection: Collection, doc: Doc): void {
  const stored = identified(doc);
  collection.insert(stored, encode(stored));
}

function identified(doc: Doc): Doc {
  const id = doc.get("_id");
  return new Map([["_id", id === undefined ? new ObjectId() : id], ...doc]);
}

function checkTarget({ db, name }: { db: string; name: string }): void {
  checkDatabaseName(db);
  checkWritableName(db, name);
}

function targetCollection(
  { engine }: CommandContext,
  { db, name }: { db: string; name: string },
): Collection {
  return engine.catalog.find(db, name) ?? engine.catalog.create(db, name);
}
