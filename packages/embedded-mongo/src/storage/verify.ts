import { decode } from "../query/document.ts";
import type { Collection } from "./collection.ts";
import { idPrefix, prefixRange, ridAtEnd, ridBytes } from "./record-key.ts";
import { scan } from "./scan.ts";
import type { Store } from "./store.ts";

export interface Verification {
  records: number;
  keysPerIndex: Record<string, number>;
  errors: string[];
}

/** Compares every document with its index entries, in both directions. */
export function verify(store: Store, collection: Collection): Verification {
  const errors: string[] = [];
  const wanted = new Map(collection.indexes.map(({ name }) => [name, new Set<string>()]));
  let records = 0;
  for (const { key, value } of scan(() => store.docs, collection.range, false)) {
    records += 1;
    const rid = ridAtEnd(key);
    const doc = decode(value);
    for (const index of collection.indexes) {
      for (const { bytes } of index.keysOf(doc).values()) {
        const entry = Buffer.concat([bytes, ridBytes(rid)]).toString("latin1");
        wanted.get(index.name)?.add(entry);
      }
    }
  }
  const keysPerIndex: Record<string, number> = {};
  for (const { name, unique, state } of collection.indexes) {
    const missing = wanted.get(name) ?? new Set();
    keysPerIndex[name] = missing.size;
    for (const { key, value } of scan(
      () => store.entries,
      prefixRange(idPrefix(state.id)),
      false,
    )) {
      const entry = unique ? Buffer.concat([key, value]) : key;
      if (!missing.delete(entry.toString("latin1"))) {
        errors.push(`index ${name} has an entry without a document: ${entry.toString("hex")}`);
      }
    }
    for (const entry of missing) {
      const hex = Buffer.from(entry, "latin1").toString("hex");
      errors.push(`index ${name} lacks the entry ${hex}`);
    }
  }
  return { records, keysPerIndex, errors };
}
