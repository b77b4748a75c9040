import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodySection, opMsg, RawConnection } from "./raw-connection.ts";
import { startDatabase, type TestDatabase } from "./start-database.ts";

const rowCount = 60_000;
/** Far below what these commands take, and far above what one slice of them takes. */
const longestPingMs = 700;

let database: TestDatabase;
let other: MongoClient;
beforeAll(async () => {
  database = await startDatabase({ port: 0 });
  other = new MongoClient(database.uri);
  await other.connect();
  await fill("rows");
});
afterAll(async () => {
  await other.close();
  await database.stop();
});

const db = () => database.client.db("shared");

async function fill(name: string): Promise<void> {
  for (let from = 0; from < rowCount; from += 10_000) {
    const documents = Array.from({ length: 10_000 }, (_, i) => ({ n: from + i, tags: [i, -i] }));
    await db().collection(name).insertMany(documents);
  }
}

/** The longest that another connection waited for an answer while the work went on. */
async function longestPing(work: Promise<unknown>): Promise<{ ms: number; pings: number }> {
  const going = { on: true };
  const done = work.finally(() => {
    going.on = false;
  });
  let ms = 0;
  let pings = 0;
  while (going.on) {
    const started = performance.now();
    await other.db("shared").command({ ping: 1 });
    ms = Math.max(ms, performance.now() - started);
    pings += 1;
  }
  await done;
  return { ms, pings };
}

// Nothing matches: the whole collection is searched.
const nowhere = { missing: { $exists: true } };
const commands: [string, Record<string, unknown>][] = [
  ["update", { update: "rows", updates: [{ q: nowhere, u: { $set: { a: 1 } }, multi: true }] }],
  ["delete", { delete: "rows", deletes: [{ q: nowhere, limit: 0 }] }],
  ["findAndModify", { findAndModify: "rows", query: nowhere, remove: true }],
  ["createIndexes", { createIndexes: "rows", indexes: [{ key: { tags: 1 }, name: "tags" }] }],
  ["validate", { validate: "rows" }],
];

describe("a long command", () => {
  it.each(commands)("%s hears its maxTimeMS", async (_, body) => {
    await expect(db().command({ ...body, maxTimeMS: 25 })).rejects.toMatchObject({ code: 50 });
    const names = (await db().collection("rows").indexes()).map(({ name }) => name);
    expect(names).toEqual(["_id_"]);
  });

  it.each(commands)("%s lets others be answered", async (_, body) => {
    const { ms, pings } = await longestPing(db().command(body));
    expect(ms).toBeLessThan(longestPingMs);
    expect(pings).toBeGreaterThan(3);
    await db().collection("rows").dropIndexes();
  });

  it("that changes much lets others be answered, and changes all of it", async () => {
    await fill("changed");
    const changed = db().collection("changed");
    const update = changed.updateMany({ n: { $gte: 0 } }, { $inc: { n: 1 } });
    expect((await longestPing(update)).ms).toBeLessThan(longestPingMs);
    expect(await update).toMatchObject({ matchedCount: rowCount, modifiedCount: rowCount });
    const removal = changed.deleteMany({ n: { $gt: 1 } });
    expect((await longestPing(removal)).ms).toBeLessThan(longestPingMs);
    expect(await removal).toMatchObject({ deletedCount: rowCount - 1 });
    expect(await db().command({ validate: "changed" })).toMatchObject({ valid: true, nrecords: 1 });
  });

  it("ends when its connection is closed", async () => {
    const raw = new RawConnection(database.uri);
    const indexes = [{ key: { tags: 1, n: 1 }, name: "unheard" }];
    raw.socket.write(opMsg(0, bodySection({ createIndexes: "rows", indexes, $db: "shared" })));
    // A second build waits for the first one, and so tells that it has ended.
    await expect.poll(async () => (await db().command({ ping: 1 }))["ok"]).toBe(1);
    raw.close();
    await db().collection("rows").createIndex({ n: 1 });
    const names = (await db().collection("rows").indexes()).map(({ name }) => name);
    expect(names).toEqual(["_id_", "n_1"]);
    await db().collection("rows").dropIndexes();
  });
});

describe("an index that is being built", () => {
  it("has what others write meanwhile, and nobody reads it before its end", async () => {
    const rows = db().collection("rows");
    const building = rows.createIndex({ n: 1 }, { name: "slow" });
    let writes = 0;
    const going = { on: true };
    const built = building.finally(() => {
      going.on = false;
    });
    const late = other.db("shared").collection("rows");
    while (going.on) {
      await late.insertOne({ n: rowCount + writes, tags: [] });
      await late.updateOne({ n: rowCount + writes }, { $inc: { n: 0.5 } });
      writes += 1;
      expect(await late.countDocuments({ n: 17 })).toBe(1);
    }
    await built;
    expect(await rows.countDocuments({ n: { $gte: rowCount } }, { hint: "slow" })).toBe(writes);
    expect(await db().command({ validate: "rows" })).toMatchObject({ valid: true });
    await rows.deleteMany({ n: { $gte: rowCount } });
    await rows.dropIndexes();
  });

  it("is not there after one that can't be unique, and another can have its name", async () => {
    const rows = db().collection("rows");
    await rows.insertMany([{ n: -1 }, { n: -1 }]);
    await expect(rows.createIndex({ n: 1 }, { unique: true })).rejects.toMatchObject({
      code: 11000,
    });
    await rows.deleteMany({ n: -1 });
    await rows.createIndex({ n: 1 }, { unique: true });
    expect(await db().command({ validate: "rows" })).toMatchObject({ valid: true });
    await rows.dropIndexes();
  });

  it("is given up when its collection is dropped", async () => {
    await fill("dropped");
    const building = db().collection("dropped").createIndex({ tags: 1 });
    building.catch(() => {});
    await other.db("shared").command({ ping: 1 });
    await other.db("shared").collection("dropped").drop();
    await expect(building).rejects.toMatchObject({ code: 276 });
  });
});

it("a regular expression that takes long lets others be answered", async () => {
  let random = 1;
  const text = Array.from({ length: 300_000 }, () => {
    random = (random * 48_271) % 2_147_483_647;
    return random % 2 === 0 ? "a" : "b";
  }).join("");
  const long = db().collection("long");
  await long.insertMany(Array.from({ length: 20 }, (_, i) => ({ t: `${text}${i}`, i })));
  const catastrophic = [
    long.find({ t: /^(a+)+$/ }).toArray(),
    long.find({ t: /^((a|b)+)+!$/ }).toArray(),
    long.updateMany({ t: /^(([ab])+.)+!$/ }, { $set: { found: 1 } }),
    long.deleteMany({ t: { $not: { $regex: "((a*)*b*)*[ab]" } } }),
  ];
  expect((await longestPing(Promise.all(catastrophic))).ms).toBeLessThan(longestPingMs);
  const codes: unknown[] = [];
  const tooMuch = long.find({ t: /(a|b)*a(a|b){200}c/ }).toArray();
  const { ms } = await longestPing(tooMuch.catch((error) => codes.push(error.code)));
  expect(codes).toEqual([51156]);
  expect(ms).toBeLessThan(longestPingMs * 3);
  expect(await long.countDocuments({ found: 1 })).toBe(0);
  expect(await long.countDocuments({})).toBe(20);
});

it("a document has a bounded number of index keys", async () => {
  const rows = db().collection<{ _id: number; tags?: number[] }>("keys");
  for (let i = 0; i < 8; i += 1) {
    await rows.createIndex({ tags: 1, [`f${i}`]: 1 });
  }
  const many = Array.from({ length: 14_000 }, (_, i) => i);
  await expect(rows.insertOne({ _id: 1, tags: many })).rejects.toMatchObject({
    code: 201,
    message: expect.stringContaining("a document may have 100000 of them"),
  });
  await rows.insertOne({ _id: 1, tags: many.slice(0, 12_000) });
  const grown = rows.updateOne({ _id: 1 }, { $push: { tags: { $each: many } } });
  await expect(grown).rejects.toMatchObject({ code: 201 });
  await expect(rows.createIndex({ tags: 1, more: 1 })).rejects.toMatchObject({ code: 201 });
  const bare = db().collection("bare");
  await bare.insertOne({ tags: Array.from({ length: 334_000 }, (_, i) => i) });
  await expect(bare.createIndex({ tags: 1 })).rejects.toMatchObject({ code: 201 });
  expect(await bare.indexes()).toHaveLength(1);
  expect(await db().command({ validate: "keys" })).toMatchObject({ valid: true, nrecords: 1 });
});
