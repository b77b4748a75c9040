import { randomBytes } from "node:crypto";
import { Binary } from "bson";
import { decode, docOf, encode } from "../bson/document.ts";
import { type Doc, isDoc } from "../bson/value.ts";
import { Collection, type CollectionInfo } from "./collection.ts";
import { CollectionIndex } from "./collection-index.ts";
import { idPrefix } from "./record-key.ts";
import type { Store } from "./store.ts";

/** What a new index takes at least. */
const indexBytes = 16 * 1024;

/** What exists: databases, collections, indexes. In memory, with its record in the store. */
export class Catalog {
  readonly #store: Store;
  #databases = new Map<string, Map<string, Collection>>();
  #undo: (() => void)[] = [];
  /** Of builds that the end of a process or a failed commit cut off. */
  #unfinished: { collection: Collection; id: number }[] = [];

  constructor(store: Store) {
    this.#store = store;
    this.reload();
  }

  reload(): void {
    this.#databases = new Map();
    this.#unfinished = [];
    for (const { value } of this.#store.catalog.getRange({})) {
      this.#link(this.#read(decode(value)));
    }
  }

  databases(): string[] {
    return [...this.#databases.keys()].sort();
  }

  collections(db: string): Collection[] {
    const all = [...(this.#databases.get(db)?.values() ?? [])];
    return all.sort((a, b) => (a.info.name < b.info.name ? -1 : 1));
  }

  find(db: string, name: string): Collection | undefined {
    return this.#databases.get(db)?.get(name);
  }

  get hasUnfinished(): boolean {
    return this.#unfinished.length > 0;
  }

  /** Inside a write: forgets the indexes whose build was cut off. */
  dropUnfinished(): void {
    for (const { collection, id } of this.#unfinished.splice(0)) {
      this.persist(collection);
      this.#purgeLater("entries", id);
    }
  }

  /** What stands for a collection that does not exist: empty, and never written to. */
  missing(db: string, name: string): Collection {
    return this.#build({ id: 0, db, name, uuid: Buffer.alloc(16) }, []);
  }

  /** Inside a write: undoes the changes in memory when the job throws, as the store does on disk. */
  attempt<T>(job: () => T): T {
    this.#undo = [];
    try {
      return job();
    } catch (error) {
      for (const undo of this.#undo.reverse()) {
        undo();
      }
      throw error;
    }
  }

  create(db: string, name: string): Collection {
    const info = { id: this.#store.allocateId(), db, name, uuid: uuid4() };
    const spec = docOf({ v: 2, key: { _id: 1 }, name: "_id_" });
    const collection = this.#build(info, []);
    this.#link(collection);
    this.#undo.push(() => this.#unlink(collection));
    this.finishIndex(collection, this.addIndex(collection, spec));
    return collection;
  }

  /** A new index, which writes keep and nobody reads until it is finished. */
  addIndex(collection: Collection, spec: Doc): CollectionIndex {
    this.#store.claimRoom(indexBytes);
    const paths = spec.get("key");
    const multikey = isDoc(paths) ? [...paths].map(() => false) : [];
    const id = this.#store.allocateId();
    const index = new CollectionIndex({ id, spec, multikey, longKeys: false });
    collection.building.push(index);
    this.#undo.push(() => remove(collection.building, index));
    this.persist(collection);
    return index;
  }

  /** Every record has its entries in it. */
  finishIndex(collection: Collection, index: CollectionIndex): void {
    remove(collection.building, index);
    collection.indexes.push(index);
    this.#undo.push(() => {
      remove(collection.indexes, index);
      collection.building.push(index);
    });
    this.persist(collection);
  }

  giveUpIndex(collection: Collection, index: CollectionIndex): void {
    remove(collection.building, index);
    this.persist(collection);
    this.#purgeLater("entries", index.state.id);
  }

  dropIndex(collection: Collection, index: CollectionIndex): void {
    const at = collection.indexes.indexOf(index);
    collection.indexes.splice(at, 1);
    this.#undo.push(() => collection.indexes.splice(at, 0, index));
    this.persist(collection);
    this.#purgeLater("entries", index.state.id);
  }

  drop(collection: Collection): void {
    this.#unlink(collection);
    this.#undo.push(() => this.#link(collection));
    this.#store.catalog.removeSync(idPrefix(collection.info.id));
    this.#purgeLater("docs", collection.info.id);
    for (const index of [...collection.indexes, ...collection.building]) {
      this.#purgeLater("entries", index.state.id);
    }
  }

  persist(collection: Collection): void {
    const { id, db, name, uuid } = collection.info;
    const record = docOf({
      id,
      db,
      name,
      uuid: new Binary(uuid, 4),
      indexes: [...collection.indexes, ...collection.building].map((index) => ({
        id: index.state.id,
        spec: index.state.spec,
        multikey: [...index.state.multikey],
        longKeys: index.state.longKeys,
        building: collection.building.includes(index) ? true : undefined,
      })),
    });
    this.#store.catalog.putSync(idPrefix(id), Buffer.from(encode(record)));
  }

  /** Records and entries of dropped things are removed in the background, see purge.ts. */
  #purgeLater(table: "docs" | "entries", id: number): void {
    this.#store.meta.putSync(
      Buffer.concat([Buffer.from(`purge ${table} `), idPrefix(id)]),
      Buffer.alloc(0),
    );
  }

  #read(record: Doc): Collection {
    const uuid = record.get("uuid");
    if (!(uuid instanceof Binary)) {
      throw new Error("a collection without a uuid in the catalog");
    }
    const info = {
      id: Number(record.get("id")),
      db: text(record, "db"),
      name: text(record, "name"),
      uuid: Buffer.from(uuid.value()),
    };
    const stored = record.get("indexes");
    const unfinished: number[] = [];
    const indexes = (Array.isArray(stored) ? stored : []).flatMap((item) => {
      const spec = isDoc(item) ? item.get("spec") : undefined;
      if (!isDoc(item) || !isDoc(spec)) {
        throw new Error("a malformed index in the catalog");
      }
      if (item.get("building") === true) {
        unfinished.push(Number(item.get("id")));
        return [];
      }
      const multikey = item.get("multikey");
      return new CollectionIndex({
        id: Number(item.get("id")),
        spec,
        multikey: Array.isArray(multikey) ? multikey.map((flag) => flag === true) : [],
        longKeys: item.get("longKeys") === true,
      });
    });
    const collection = this.#build(info, indexes);
    this.#unfinished.push(...unfinished.map((id) => ({ collection, id })));
    return collection;
  }

  #build(info: CollectionInfo, indexes: CollectionIndex[]): Collection {
    const collection: Collection = new Collection(this.#store, info, indexes, (forget) => {
      this.#undo.push(forget);
      this.persist(collection);
    });
    return collection;
  }

  #link(collection: Collection): void {
    const { db, name } = collection.info;
    const collections = this.#databases.get(db) ?? new Map<string, Collection>();
    collections.set(name, collection);
    this.#databases.set(db, collections);
  }

  #unlink(collection: Collection): void {
    const { db, name } = collection.info;
    const collections = this.#databases.get(db);
    collections?.delete(name);
    if (collections?.size === 0) {
      this.#databases.delete(db);
    }
  }
}

function remove(indexes: CollectionIndex[], index: CollectionIndex): void {
  const at = indexes.indexOf(index);
  if (at >= 0) {
    indexes.splice(at, 1);
  }
}

function text(record: Doc, field: string): string {
  const value = record.get(field);
  if (typeof value !== "string") {
    throw new Error(`a collection without a ${field} in the catalog`);
  }
  return value;
}

function uuid4(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes;
}
