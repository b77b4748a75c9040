import { CommandError } from "../../bson/command-error.ts";
import { docOf, encode } from "../../bson/document.ts";
import { type Doc, isDoc, isNumeric } from "../../bson/value.ts";
import { Cursor } from "../../cursor-registry.ts";
import { matchingRecords } from "../../plan/matching-records.ts";
import { plan, type Query } from "../../plan/plan.ts";
import type { Command, CommandContext } from "../command.ts";
import { queryOf } from "../query-of.ts";
import { countMatches } from "../read/count.ts";
import { cursorBatchSize, firstBatch } from "../read/cursors.ts";
import { compilePipeline } from "./compile-pipeline.ts";
import { leadingStages } from "./leading-stages.ts";

const aggregateFields = [
  "pipeline",
  "cursor",
  "explain",
  "allowDiskUse",
  "collation",
  "hint",
  "let",
  "bypassDocumentValidation",
];

export const aggregate: Command = {
  fields: aggregateFields,
  run: async (context) => {
    const { args } = context;
    const stages = args.objects("pipeline");
    refuseChangeStream(stages);
    args.refuse("explain", "only a find can be explained");
    const base = queryOf(args, "");
    if (!args.has("cursor")) {
      throw new CommandError(
        "FailedToParse",
        "The 'cursor' option is required, except for aggregate with the explain argument",
      );
    }
    const batchSize = cursorBatchSize(args);
    const counted = countOnly(stages);
    if (counted !== undefined) {
      const n = await countMatches(context, { ...base, ...counted.query }, counted);
      const results = n === 0 ? [] : [encode(docOf({ _id: counted.id, n }))];
      return firstBatch(context, new Cursor(context.namespace, results.values()), batchSize);
    }
    const { filter, sort, limit, rest } = leadingStages(stages);
    const run = compilePipeline(rest);
    const query = { ...base, filter, sort, limited: limit !== undefined };
    const results = run(documents(context, query, limit));
    return firstBatch(context, new Cursor(context.namespace, encoded(results)), batchSize);
  },
};

function refuseChangeStream(stages: readonly Doc[]): void {
  if (stages.some((stage) => stage.has("$changeStream"))) {
    throw new CommandError(40573, "The $changeStream stage is only supported on replica sets");
  }
}

async function* documents(
  context: CommandContext,
  query: Query,
  keep: number | undefined,
): AsyncGenerator<Doc> {
  const { engine, readCollection: collection } = context;
  const slice = context.slice();
  const chosen = plan(collection, query);
  for (const record of matchingRecords(engine.store, collection, chosen, keep)) {
    const pause = slice.pause();
    if (pause !== undefined) {
      await pause;
    }
    if (record !== undefined) {
      yield record.doc;
    }
  }
}

async function* encoded(docs: AsyncIterable<Doc>): AsyncGenerator<Uint8Array> {
  for await (const doc of docs) {
    yield encode(doc);
  }
}

interface Counted {
  query: { filter: Doc };
  skip: number;
  limit: number;
  id: ReturnType<Doc["get"]>;
}

/** The pipeline that drivers send for countDocuments: it needs no pipeline. */
function countOnly(stages: readonly Doc[]): Counted | undefined {
  const { filter, sort, rest } = leadingStages(stages);
  if (sort !== undefined) {
    return undefined;
  }
  const counted: Counted = { query: { filter }, skip: 0, limit: 0, id: null };
  const left = [...rest];
  for (const [stage, field] of [
    ["$skip", "skip"],
    ["$limit", "limit"],
  ] as const) {
    const value = left[0]?.get(stage);
    if (!isNumeric(value) || left[0]?.size !== 1) {
      continue;
    }
    const number = Number(value.toString());
    if (!Number.isInteger(number) || number < (stage === "$skip" ? 0 : 1)) {
      return undefined;
    }
    counted[field] = number;
    left.shift();
  }
  const group = left.length === 1 ? left[0]?.get("$group") : undefined;
  if (!isDoc(group) || group.size !== 2) {
    return undefined;
  }
  const id = group.get("_id");
  const n = group.get("n");
  const one = isDoc(n) && n.size === 1 ? n.get("$sum") : undefined;
  if (!isNumeric(id) || !isNumeric(one) || Number(one.toString()) !== 1) {
    return undefined;
  }
  return { ...counted, id };
}
