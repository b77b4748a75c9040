import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { docOf, encode } from "../bson/document.ts";
import type { Doc, Value } from "../bson/value.ts";
import { compileSort } from "../keys/compile-sort.ts";
import { Catalog } from "../storage/catalog.ts";
import { Store } from "../storage/store.ts";
import { verify } from "../storage/verify.ts";
import { matchingRecords } from "./matching-records.ts";
import { plan, type Query } from "./plan.ts";

// Few values and few paths, so that queries meet documents and indexes meet queries.
const scalar = fc.constantFrom<Value>(1, 2, 3, 2.5, "a", null);
const small = fc.constantFrom<Value>(1, 2, 3);
const nested = fc.record({ x: small, y: small }, { requiredKeys: [] });
const field = fc.oneof(
  { weight: 2, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  nested.map((object) => docOf(object)),
  {
    weight: 2,
    arbitrary: fc
      .array(nested, { maxLength: 3 })
      .map((objects) => objects.map((object) => docOf(object))),
  },
);
const document = fc.record({ a: field, b: scalar, c: field }, { requiredKeys: ["b"] });
const path = fc.constantFrom("a", "b", "c", "a.x", "a.y");
const condition = fc.oneof(
  { weight: 3, arbitrary: small },
  scalar,
  fc
    .record({ $in: fc.array(scalar, { minLength: 1, maxLength: 3 }) })
    .map((object) => docOf(object)),
  fc.record({ $gte: small, $lt: scalar }, { requiredKeys: ["$gte"] }).map((o) => docOf(o)),
  fc.record({ $gt: scalar, $lte: small }, { requiredKeys: ["$lte"] }).map((o) => docOf(o)),
  fc.constantFrom(docOf({ $exists: true }), docOf({ $exists: false }), docOf({ $ne: 1 })),
);
const filter = fc
  .array(fc.tuple(path, condition), { minLength: 1, maxLength: 2 })
  .map((entries): Doc => new Map(entries));
const sort = fc
  .array(fc.tuple(path, fc.constantFrom(1, -1)), { maxLength: 2 })
  .map((entries): Doc => new Map(entries));
const index = fc
  .tuple(
    fc.uniqueArray(fc.tuple(path, fc.constantFrom(1, -1)), {
      minLength: 1,
      maxLength: 3,
      selector: ([name]) => name,
    }),
    fc.constantFrom<Record<string, Value>>(
      {},
      { sparse: true },
      { partialFilterExpression: docOf({ b: { $gt: 1 } }) },
      { partialFilterExpression: docOf({ a: { $exists: true } }) },
      { partialFilterExpression: docOf({ c: "a" }) },
    ),
  )
  .map(([key, options]) => docOf({ v: 2, key: new Map(key), ...options }));

describe("a plan", () => {
  const folder = mkdtempSync(join(tmpdir(), "plan-test-"));
  let store: Store;
  let catalog: Catalog;
  beforeAll(() => {
    store = new Store(folder, () => {});
    catalog = new Catalog(store);
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function idsOf(collection: ReturnType<Catalog["create"]>, query: Query): Value[] {
    const ids: Value[] = [];
    for (const record of matchingRecords(store, collection, plan(collection, query))) {
      const id = record?.doc.get("_id");
      if (id !== undefined) {
        ids.push(id);
      }
    }
    return ids;
  }

  it("finds the same documents with any indexes as without, in the order asked for", async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { minLength: 6, maxLength: 16 }),
        fc.array(index, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(filter, sort), { minLength: 8, maxLength: 16 }),
        async (documents, indexes, queries) => {
          round += 1;
          await store.write(() => {
            const collection = catalog.create("test", `c${round}`);
            indexes.forEach((spec, i) => {
              const named = new Map([...spec, ["name", `i${i}`]]);
              catalog.finishIndex(collection, catalog.addIndex(collection, named));
            });
            documents.forEach((fields, i) => {
              const doc = new Map([...docOf({ _id: i }), ...docOf(fields)]);
              try {
                collection.insert(doc, encode(doc));
              } catch (error) {
                if (!String(error).includes("parallel arrays")) {
                  throw error;
                }
              }
            });
          });
          const collection = catalog.find("test", `c${round}`);
          if (collection === undefined) {
            throw new Error("the collection is gone");
          }
          expect((await verify(store, collection, () => undefined)).errors).toEqual([]);
          for (const [where, order] of queries) {
            const scanned = idsOf(collection, { filter: where, hint: docOf({ $natural: 1 }) });
            const found = idsOf(collection, { filter: where });
            expect(ascending(found)).toEqual(ascending(scanned));
            if (order.size === 0) {
              continue;
            }
            const sorted = attempt(() => idsOf(collection, { filter: where, sort: order }));
            if (sorted === undefined) {
              continue;
            }
            const compare = compileSort(order);
            const keys = sorted.map((id) => {
              const at = Number(id);
              return compare.keyOf(new Map([...docOf({ _id: at }), ...docOf(documents[at] ?? {})]));
            });
            expect(ascending(sorted)).toEqual(ascending(scanned));
            keys.slice(1).forEach((key, i) => {
              expect(compare.compareKeys(keys[i] ?? [], key)).toBeLessThanOrEqual(0);
            });
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

function ascending(ids: readonly Value[]): number[] {
  return ids.map(Number).sort((a, b) => a - b);
}

/** Sorting by two fields that are both arrays is refused, with an index or without. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (String(error).includes("parallel arrays")) {
      return undefined;
    }
    throw error;
  }
}
