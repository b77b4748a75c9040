import { decode } from "../bson/document.ts";
import type { Collection } from "./collection.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { idPrefix, prefixRange, ridAtEnd, ridBytes, ridLength } from "./record-key.ts";
import { scan } from "./scan.ts";
import type { Store } from "./store.ts";

/** Of how many documents the keys are kept. */
const keptDocuments = 32;

export interface Verification {
  records: number;
  keysPerIndex: Record<string, number>;
  errors: string[];
}

/**
 * Compares every document with its index entries, in both directions, while others are served:
 * each document and each entry is looked at as it is at one moment. `pause` is called between them.
 */
export async function verify(
  store: Store,
  collection: Collection,
  pause: () => Promise<void> | undefined,
): Promise<Verification> {
  const errors: string[] = [];
  const indexes = [...collection.indexes];
  let records = 0;
  for (const { key, value } of scan(() => store.docs, collection.range, false)) {
    const pausing = pause();
    if (pausing !== undefined) {
      await pausing;
    }
    store.noteRead(value.length);
    records += 1;
    errors.push(...missingEntries(store, collection, indexes, ridAtEnd(key)));
  }
  const keysPerIndex: Record<string, number> = {};
  const known = new KnownKeys(store, collection);
  for (const index of indexes) {
    let keys = 0;
    const range = prefixRange(idPrefix(index.state.id));
    for (const { key } of scan(() => store.entries, range, false)) {
      const pausing = pause();
      if (pausing !== undefined) {
        await pausing;
      }
      keys += 1;
      if (collection.indexes.includes(index) && !known.has(index, key)) {
        errors.push(`index ${index.name} has an entry without a document: ${key.toString("hex")}`);
      }
    }
    keysPerIndex[index.name] = keys;
  }
  return { records, keysPerIndex, errors };
}

function missingEntries(
  store: Store,
  collection: Collection,
  indexes: readonly CollectionIndex[],
  rid: number,
): string[] {
  const stored = collection.get(rid);
  if (stored === undefined) {
    return [];
  }
  const doc = decode(stored);
  const current = indexes.filter((index) => collection.indexes.includes(index));
  return current.flatMap((index) => {
    const missing = [...index.keysOf(doc).values()].filter(({ bytes }) => {
      const suffix = ridBytes(rid);
      return index.unique
        ? store.entries.get(bytes)?.equals(suffix) !== true
        : store.entries.get(Buffer.concat([bytes, suffix])) === undefined;
    });
    return missing.map(
      ({ bytes }) => `index ${index.name} lacks the entry ${bytes.toString("hex")}`,
    );
  });
}

/** The keys of the documents that were looked at last, as long as nobody writes. */
class KnownKeys {
  readonly #store: Store;
  readonly #collection: Collection;
  #version = 0;
  #keys = new Map<number, ReadonlyMap<string, unknown>>();
  #index: CollectionIndex | undefined;

  constructor(store: Store, collection: Collection) {
    this.#store = store;
    this.#collection = collection;
  }

  /** Whether an entry is one of its document's; also if it was removed meanwhile. */
  has(index: CollectionIndex, key: Buffer): boolean {
    const value = this.#store.entries.get(key);
    if (value === undefined) {
      return true;
    }
    const bytes = index.unique ? key : key.subarray(0, -ridLength);
    const keys = this.#keysOf(index, ridAtEnd(index.unique ? value : key));
    return keys.has(bytes.toString("latin1"));
  }

  #keysOf(index: CollectionIndex, rid: number): ReadonlyMap<string, unknown> {
    const { version } = this.#collection;
    if (this.#version !== version || this.#index !== index || this.#keys.size >= keptDocuments) {
      this.#keys.clear();
    }
    this.#version = version;
    this.#index = index;
    let keys = this.#keys.get(rid);
    if (keys === undefined) {
      const stored = this.#collection.get(rid);
      keys = stored === undefined ? new Map() : index.keysOf(decode(stored));
      this.#keys.set(rid, keys);
    }
    return keys;
  }
}
