import { type Plan, plan, type Query } from "../plan/plan.ts";
import { matchingRecords, type ScanCounts, type StoredRecord } from "../plan/records.ts";
import type { Doc } from "../query/value.ts";
import type { Collection } from "../storage/collection.ts";
import type { Arguments } from "./arguments.ts";
import type { CommandContext } from "./command.ts";
import { letVariables } from "./let-variables.ts";

/** The parts of a query that commands have in common, under the name each gives the filter. */
export function queryOf(args: Arguments, filterField: string, shared?: Doc): Query {
  const variables = shared ?? letVariables(args);
  return {
    filter: args.optionalObject(filterField) ?? new Map(),
    sort: args.optionalObject("sort"),
    hint: args.doc.get("hint"),
    collation: args.optionalObject("collation"),
    variables,
  };
}

/** The records that a write statement is to change, found before the first is changed. */
export function targets(
  { engine }: CommandContext,
  collection: Collection,
  query: Query,
  limit: number,
): { plan: Plan; records: StoredRecord[] } {
  const chosen = plan(collection, { ...query, limited: limit === 1 });
  const records: StoredRecord[] = [];
  const counts: ScanCounts = { keys: 0, docs: 0 };
  for (const record of matchingRecords(engine.store, collection, chosen, counts, limit)) {
    if (record === undefined) {
      continue;
    }
    records.push(record);
    if (records.length >= limit) {
      break;
    }
  }
  return { plan: chosen, records };
}
