import { CommandError } from "../../bson/command-error.ts";
import { encode } from "../../bson/document.ts";
import type { Doc } from "../../bson/value.ts";
import { Cursor } from "../../cursor-registry.ts";
import { asksForId, findById } from "../../plan/find-by-id.ts";
import { matchingRecords, type StoredRecord, type Tick } from "../../plan/matching-records.ts";
import { plan } from "../../plan/plan.ts";
import { compileProjection } from "../../project/compile-projection.ts";
import { encodeCursorReply } from "../../wire/encode-cursor-reply.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { queryOf } from "../query-of.ts";
import { firstBatch } from "./cursors.ts";

const findFields = [
  "filter",
  "sort",
  "projection",
  "hint",
  "skip",
  "limit",
  "batchSize",
  "singleBatch",
  "collation",
  "let",
  "allowDiskUse",
  "noCursorTimeout",
  "allowPartialResults",
  "oplogReplay",
  "tailable",
  "awaitData",
  "returnKey",
  "showRecordId",
  "min",
  "max",
];

export interface Window {
  skip: number;
  /** 0: no limit. */
  limit: number;
}

export const find: Command = {
  fields: findFields,
  run: (context) => {
    const { engine, namespace, args } = context;
    refuseFindOptions(args);
    const query = queryOf(args, "filter");
    const { skip, limit } = windowOf(args);
    const batchSize = args.optionalCount("batchSize");
    const singleBatch = args.boolean("singleBatch") || isNegative(args, "limit");

    const collection = context.readCollection;
    const projection = args.optionalObject("projection");
    const projects = projection !== undefined && projection.size > 0;
    if (asksForId(query) && !projects && skip === 0 && batchSize !== 0) {
      const record = findById(collection, query);
      return encodeCursorReply(
        "firstBatch",
        namespace,
        0n,
        record === undefined ? [] : [record.bytes],
      );
    }
    const chosen = plan(collection, { ...query, limited: limit > 0 });
    const project = projects ? compileProjection(projection) : undefined;
    const keep = limit === 0 ? undefined : skip + limit;
    const records = matchingRecords(engine.store, collection, chosen, keep);
    const results = windowed(records, { skip, limit }, project);
    const cursor = new Cursor(namespace, results, args.boolean("noCursorTimeout"));
    return firstBatch(context, cursor, batchSize, singleBatch);
  },
};

export function windowOf(args: Arguments): Window {
  const limit = args.optionalInteger("limit") ?? 0;
  return { skip: args.optionalCount("skip") ?? 0, limit: Math.abs(limit) };
}

function isNegative(args: Arguments, field: string): boolean {
  return (args.optionalInteger(field) ?? 0) < 0;
}

function refuseFindOptions(args: Arguments): void {
  for (const option of ["returnKey", "showRecordId", "min", "max"]) {
    args.refuse(option, "this option is not supported");
  }
  if (args.boolean("tailable") || args.boolean("awaitData")) {
    throw new CommandError(
      "BadValue",
      "tailable cursors need a capped collection, and capped collections are not supported",
    );
  }
}

/** Skips, limits and projects. Without a projection the stored bytes are the result. */
function* windowed(
  records: Generator<StoredRecord | Tick>,
  { skip, limit }: Window,
  project: ((doc: Doc) => Doc) | undefined,
): Generator<Uint8Array | Tick> {
  let toSkip = skip;
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  for (const record of records) {
    if (record === undefined) {
      yield undefined;
    } else if (toSkip > 0) {
      toSkip -= 1;
      if (toSkip % 64 === 0) {
        yield undefined;
      }
    } else {
      yield project === undefined ? record.bytes : encode(project(record.doc));
      left -= 1;
      if (left === 0) {
        return;
      }
    }
  }
}
