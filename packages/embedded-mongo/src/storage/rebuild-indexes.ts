import { CommandError } from "../bson/command-error.ts";
import { decode } from "../bson/document.ts";
import type { Catalog } from "./catalog.ts";
import type { Collection } from "./collection.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { idPrefix, prefixRange, ridAtEnd } from "./record-key.ts";
import { scan } from "./scan.ts";
import type { Store } from "./store.ts";

/**
 * Writes the entries of all indexes on arrays anew, which format 1 keyed in another way, in one
 * transaction. A document that is no longer unique by the right keys stays, and is reported.
 */
export async function rebuildIndexes(
  store: Store,
  catalog: Catalog,
  report: (error: Error) => void,
): Promise<void> {
  await store.write(() => {
    for (const db of catalog.databases()) {
      for (const collection of catalog.collections(db)) {
        for (const index of collection.indexes) {
          if (index.state.multikey.includes(true)) {
            rebuild(store, collection, index, report);
          }
        }
      }
    }
    store.markFormat();
  });
}

function rebuild(
  store: Store,
  collection: Collection,
  index: CollectionIndex,
  report: (error: Error) => void,
): void {
  const outdated = [...store.entries.getKeys(prefixRange(idPrefix(index.state.id)))];
  for (const key of outdated) {
    store.entries.removeSync(key);
  }
  for (const { key, value } of scan(() => store.docs, collection.range, false)) {
    try {
      collection.addToIndex(index, ridAtEnd(key), decode(value));
    } catch (error) {
      if (!(error instanceof CommandError)) {
        throw error;
      }
      report(error);
    }
  }
}
