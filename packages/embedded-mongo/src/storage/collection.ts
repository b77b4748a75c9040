import { CommandError } from "../bson/command-error.ts";
import { encode } from "../bson/document.ts";
import type { Doc, Value } from "../bson/value.ts";
import { maxDocumentBytes } from "../wire/frame.ts";
import type { CollectionIndex, IndexKey } from "./collection-index.ts";
import { duplicateKey } from "./duplicate-key.ts";
import { KeyBudget } from "./key-budget.ts";
import { idPrefix, prefixRange, type Range, recordKey, ridAtEnd, ridBytes } from "./record-key.ts";
import type { Store } from "./store.ts";

const noBytes = Buffer.alloc(0);
/** With fewer in each index a document has not too many in all. */
const manyKeys = 1_000;

export interface CollectionInfo {
  id: number;
  db: string;
  name: string;
  uuid: Buffer;
}

/**
 * The records of one collection and their index entries. The changing methods belong inside
 * `Store.write`; each checks everything before it writes anything.
 */
export class Collection {
  readonly info: CollectionInfo;
  /** The one on `_id` is the first. */
  readonly indexes: CollectionIndex[];
  /** Kept up to date, but not complete: nobody may read them. */
  readonly building: CollectionIndex[] = [];
  /** Resolves when the build that goes on has ended. */
  buildEnds: Promise<void> | undefined;
  /** Grows with every change of a record. */
  version = 0;
  /** Called when an index learned something that the catalog must keep. */
  readonly #onLearned: (forget: () => void) => void;
  readonly #store: Store;
  #nextRid: number;

  constructor(
    store: Store,
    info: CollectionInfo,
    indexes: CollectionIndex[],
    onLearned: (forget: () => void) => void,
  ) {
    this.#store = store;
    this.info = info;
    this.indexes = indexes;
    this.#onLearned = onLearned;
    const [last] = store.docs.getKeys({
      start: this.range.end,
      end: this.range.start,
      reverse: true,
      limit: 1,
    });
    this.#nextRid = Buffer.isBuffer(last) ? ridAtEnd(last) + 1 : 1;
  }

  get exists(): boolean {
    return this.info.id !== 0;
  }

  get #written(): readonly CollectionIndex[] {
    return this.building.length === 0 ? this.indexes : [...this.indexes, ...this.building];
  }

  get namespace(): string {
    return `${this.info.db}.${this.info.name}`;
  }

  get range(): Range {
    return prefixRange(idPrefix(this.info.id));
  }

  /** Counts the entries of `_id`, one a record, which are far fewer pages than the records. */
  count(): number {
    const [id] = this.indexes;
    if (id === undefined) {
      return 0;
    }
    return this.#store.entries.getKeysCount(prefixRange(idPrefix(id.state.id)));
  }

  get(rid: number): Buffer | undefined {
    const bytes = this.#store.docs.get(recordKey(this.info.id, rid));
    if (bytes !== undefined) {
      this.#store.noteRead(bytes.length);
    }
    return bytes;
  }

  /** The record with this `_id`. */
  ridOfId(id: Value): number | undefined {
    const [index] = this.indexes;
    return index === undefined ? undefined : this.#ownerOf(index.keyOf([id]));
  }

  insert(doc: Doc, bytes: Uint8Array): void {
    this.#checkSize(bytes.length, 2, "object to insert too large. size in bytes: ");
    const budget = new KeyBudget();
    const added = this.#written.map((index) => ({ index, keys: index.keysOf(doc, budget) }));
    for (const { index, keys } of added) {
      this.#checkUnique(index, keys.values());
    }
    this.#store.claimRoom(bytes.length);

    const rid = this.#nextRid;
    this.#nextRid += 1;
    this.version += 1;
    this.#store.docs.putSync(recordKey(this.info.id, rid), asBuffer(bytes));
    for (const { index, keys } of added) {
      this.#addEntries(index, keys.values(), rid);
      this.#learn(index, doc, keys);
    }
  }

  replace(rid: number, before: Doc, after: Doc): void {
    const bytes = encode(after);
    this.#checkSize(bytes.length, 17419, "Resulting document after update is larger than ");
    const budget = new KeyBudget();
    const changes = this.#written.map((index) => {
      const keys = index.keysOf(after, budget);
      const old = index.keysOf(before);
      return { index, keys, gone: without(old, keys), added: without(keys, old) };
    });
    for (const { index, added } of changes) {
      this.#checkUnique(index, added, rid);
    }
    this.#store.claimRoom(bytes.length);

    this.version += 1;
    this.#store.docs.putSync(recordKey(this.info.id, rid), asBuffer(bytes));
    for (const { index, keys, gone, added } of changes) {
      this.#removeEntries(index, gone, rid);
      this.#addEntries(index, added, rid);
      this.#learn(index, after, keys);
    }
  }

  remove(rid: number, doc: Doc): void {
    this.version += 1;
    this.#store.docs.removeSync(recordKey(this.info.id, rid));
    for (const index of this.#written) {
      this.#removeEntries(index, index.keysOf(doc).values(), rid);
    }
  }

  /** Fills a new index with the entries of one record, which may be there already. */
  addToIndex(index: CollectionIndex, rid: number, doc: Doc): void {
    const budget = new KeyBudget();
    const keys = index.keysOf(doc, budget);
    for (const other of keys.size < manyKeys ? [] : this.#written) {
      if (other !== index) {
        other.keysOf(doc, budget);
      }
    }
    this.#checkUnique(index, keys.values(), rid);
    for (const { bytes } of keys.values()) {
      this.#store.claimRoom(bytes.length);
    }
    this.#addEntries(index, keys.values(), rid);
    this.#learn(index, doc, keys);
  }

  #learn(index: CollectionIndex, doc: Doc, keys: Map<string, IndexKey>): void {
    const forget = index.learn(doc, keys);
    if (forget !== undefined) {
      this.#onLearned(forget);
    }
  }

  #checkSize(size: number, code: number, message: string): void {
    if (size <= maxDocumentBytes) {
      return;
    }
    const detail = code === 2 ? `${size}, max size: ${maxDocumentBytes}` : `${maxDocumentBytes}`;
    throw new CommandError(code === 2 ? "BadValue" : code, message + detail);
  }

  #checkUnique(index: CollectionIndex, keys: Iterable<IndexKey>, self?: number): void {
    if (!index.unique) {
      return;
    }
    for (const { bytes, values } of keys) {
      const owner = this.#ownerOf(bytes);
      if (owner !== undefined && owner !== self) {
        throw duplicateKey(this.namespace, index.name, index.keyPattern, values);
      }
    }
  }

  /** Which record has this key of a unique index. */
  #ownerOf(key: Buffer): number | undefined {
    // The buffer is lmdb's own and holds until its next read: the id is taken out at once.
    const value = this.#store.entries.getBinaryFast(key);
    return value === undefined ? undefined : ridAtEnd(value);
  }

  #addEntries(index: CollectionIndex, keys: Iterable<IndexKey>, rid: number): void {
    const suffix = ridBytes(rid);
    for (const { bytes } of keys) {
      if (index.unique) {
        this.#store.entries.putSync(bytes, suffix);
      } else {
        this.#store.entries.putSync(Buffer.concat([bytes, suffix]), noBytes);
      }
    }
  }

  #removeEntries(index: CollectionIndex, keys: Iterable<IndexKey>, rid: number): void {
    const suffix = ridBytes(rid);
    const mayBeAnothers = index.unique && this.building.includes(index);
    for (const { bytes } of keys) {
      if (mayBeAnothers && this.#ownerOf(bytes) !== rid) {
        continue;
      }
      this.#store.entries.removeSync(index.unique ? bytes : Buffer.concat([bytes, suffix]));
    }
  }
}

function without(keys: Map<string, IndexKey>, others: Map<string, IndexKey>): IndexKey[] {
  return [...keys].filter(([bytes]) => !others.has(bytes)).map(([, key]) => key);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
