import type { Collection } from "../storage/collection.ts";
import { isPlainEquality } from "./bounds-of.ts";
import { StoredRecord } from "./matching-records.ts";
import type { Query } from "./plan.ts";

/** Whether the query asks for one `_id` and nothing else, which needs no plan. */
export function asksForId({ filter, hint }: Query): boolean {
  return filter.size === 1 && filter.has("_id") && hint === undefined && isPlainEquality(filter);
}

/** The record with the `_id` of such a query. */
export function findById(collection: Collection, { filter }: Query): StoredRecord | undefined {
  const rid = collection.ridOfId(filter.get("_id") ?? null);
  const bytes = rid === undefined ? undefined : collection.get(rid);
  return rid === undefined || bytes === undefined ? undefined : new StoredRecord(rid, bytes);
}
