import { CommandError } from "../bson/command-error.ts";
import { decode } from "../bson/document.ts";
import type { Doc, Value } from "../bson/value.ts";
import type { Collection } from "../storage/collection.ts";
import type { CollectionIndex } from "../storage/collection-index.ts";
import { ridAtEnd } from "../storage/record-key.ts";
import { scan } from "../storage/scan.ts";
import type { Store } from "../storage/store.ts";
import type { Plan } from "./plan.ts";

/** A document as stored. It is decoded when somebody looks into it. */
export class StoredRecord {
  readonly rid: number;
  readonly bytes: Buffer;
  #doc: Doc | undefined;

  constructor(rid: number, bytes: Buffer) {
    this.rid = rid;
    this.bytes = bytes;
  }

  get doc(): Doc {
    this.#doc ??= decode(this.bytes);
    return this.#doc;
  }
}

/** A stop in a stream where nothing was found for a while: the consumer may pause there. */
export type Tick = undefined;
const queryPlanKilled = 175;
const tickMs = 2;
const tickEvery = 32;

/** The matches of a plan, in its order, one at a time. Only a blocking sort looks at all first. */
export function* matchingRecords(
  store: Store,
  collection: Collection,
  plan: Plan,
  keep = Number.POSITIVE_INFINITY,
): Generator<StoredRecord | Tick> {
  const found = filtered(store, collection, plan);
  if (plan.blockingSort === undefined) {
    yield* found;
  } else {
    yield* sorted(collection, plan.blockingSort, found, keep);
  }
}

function* filtered(
  store: Store,
  collection: Collection,
  plan: Plan,
): Generator<StoredRecord | Tick> {
  let tickAt = performance.now() + tickMs;
  const all = plan.query.size === 0 || plan.access?.exact === true;
  for (const record of candidates(store, collection, plan)) {
    if (all || plan.filter.matches(record.doc)) {
      yield record;
    } else if (performance.now() >= tickAt) {
      yield undefined;
      tickAt = performance.now() + tickMs;
    }
  }
}

function* candidates(
  store: Store,
  collection: Collection,
  { index, access, reverse }: Plan,
): Generator<StoredRecord> {
  if (index === undefined || access === undefined) {
    for (const { key, value } of scan(() => store.docs, collection.range, reverse)) {
      store.noteRead(value.length);
      yield new StoredRecord(ridAtEnd(key), value);
    }
    return;
  }
  const seen = index.state.multikey.includes(true) ? new Set<number>() : undefined;
  const ranges = reverse ? [...access.ranges].reverse() : access.ranges;
  for (const range of ranges) {
    for (const { key, value } of scan(() => store.entries, range, reverse)) {
      checkIndex(collection, index);
      const rid = ridAtEnd(index.unique ? value : key);
      if (seen?.has(rid) === true) {
        continue;
      }
      seen?.add(rid);
      const bytes = collection.get(rid);
      if (bytes !== undefined) {
        yield new StoredRecord(rid, bytes);
      }
    }
  }
  checkIndex(collection, index);
}

/** Between two batches an index may be dropped; without its entries the rest would be missing. */
function checkIndex(collection: Collection, index: CollectionIndex): void {
  if (!collection.indexes.includes(index)) {
    throw new CommandError(
      queryPlanKilled,
      `query plan killed :: caused by :: index '${index.name}' dropped`,
    );
  }
}

/** Keeps keys and record ids, not documents: these are read again when their turn comes. */
function* sorted(
  collection: Collection,
  sort: NonNullable<Plan["blockingSort"]>,
  found: Generator<StoredRecord | Tick>,
  keep: number,
): Generator<StoredRecord | Tick> {
  interface Entry {
    rid: number;
    key: Value[];
  }
  const byKey = (a: Entry, b: Entry): number => sort.compareKeys(a.key, b.key) || a.rid - b.rid;
  let entries: Entry[] = [];
  const room = keep === Number.POSITIVE_INFINITY ? keep : Math.max(keep * 2, 1_000);
  for (const record of found) {
    if (record === undefined) {
      yield undefined;
      continue;
    }
    entries.push({ rid: record.rid, key: sort.keyOf(record.doc) });
    if (entries.length > room) {
      entries = entries.sort(byKey).slice(0, keep);
    }
    if (entries.length % tickEvery === 0) {
      yield undefined;
    }
  }
  entries.sort(byKey);
  for (const { rid } of entries.slice(0, keep)) {
    const bytes = collection.get(rid);
    if (bytes !== undefined) {
      yield new StoredRecord(rid, bytes);
    }
  }
}
