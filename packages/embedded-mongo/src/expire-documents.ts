import { setTimeout as sleep } from "node:timers/promises";
import type { Doc, Value } from "./bson/value.ts";
import type { Engine } from "./engine.ts";
import { matchingRecords } from "./plan/matching-records.ts";
import { plan } from "./plan/plan.ts";
import type { Collection } from "./storage/collection.ts";
import type { CollectionIndex } from "./storage/collection-index.ts";

const batchLimit = 500;

/** Removes the documents that TTL indexes have expired, again and again until the engine stops. */
export async function expireDocuments(engine: Engine, intervalSeconds: number): Promise<void> {
  const signal = engine.stopping;
  while (!signal.aborted) {
    try {
      await sleep(intervalSeconds * 1000, undefined, { signal, ref: false });
      await expireOnce(engine);
    } catch (error) {
      if (!signal.aborted) {
        engine.report(error);
      }
    }
  }
}

async function expireOnce(engine: Engine): Promise<void> {
  for (const db of engine.catalog.databases()) {
    for (const collection of engine.catalog.collections(db)) {
      for (const index of collection.indexes) {
        if (index.expireAfterSeconds === undefined) {
          continue;
        }
        let removed = batchLimit;
        while (removed === batchLimit && !engine.stopping.aborted) {
          await engine.store.ready();
          removed = await engine.write(() => expireBatch(engine, collection, index));
        }
      }
    }
  }
}

function expireBatch(engine: Engine, collection: Collection, index: CollectionIndex): number {
  const { db, name } = collection.info;
  const dropped =
    engine.catalog.find(db, name) !== collection || !collection.indexes.includes(index);
  if (dropped) {
    return 0;
  }
  const [path = ""] = index.paths;
  const limit = new Date(Date.now() - (index.expireAfterSeconds ?? 0) * 1000);
  const old: Doc = new Map<string, Value>([[path, new Map([["$lt", limit]])]]);
  const chosen = plan(collection, { filter: old, hint: index.name });
  const expired = [];
  for (const record of matchingRecords(engine.store, collection, chosen)) {
    if (record !== undefined) {
      expired.push(record);
    }
    if (expired.length === batchLimit) {
      break;
    }
  }
  for (const { rid, doc } of expired) {
    collection.remove(rid, doc);
  }
  return expired.length;
}
