import { encode } from "../../bson/document.ts";
import type { Doc } from "../../bson/value.ts";
import type { Filter } from "../../match/compile-filter.ts";
import type { StoredRecord } from "../../plan/matching-records.ts";
import type { Collection } from "../../storage/collection.ts";
import type { Update } from "../../update/compile-update.ts";
import { upsertSeed } from "../../update/upsert-seed.ts";

/** Applies an update to a stored document. Tells the document after it, and whether it differs. */
export function modify(
  collection: Collection,
  record: StoredRecord,
  filter: Filter,
  update: Update,
): { doc: Doc; changed: boolean } {
  const result = update.apply(record.doc, {
    isUpsertInsert: false,
    matchedArrayIndex: update.positional ? filter.arrayIndexFor(record.doc) : undefined,
  });
  if (result.changed) {
    collection.replace(record.rid, record.doc, result.doc);
  }
  return result;
}

/** Inserts what an upsert makes of its filter and its update. */
export function upsert(collection: Collection, query: Doc, update: Update): Doc {
  const { doc } = update.apply(upsertSeed(query, update.kind === "replacement"), {
    isUpsertInsert: true,
  });
  collection.insert(doc, encode(doc));
  return doc;
}
