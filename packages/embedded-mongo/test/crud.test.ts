import { Double, Int32, Long, MongoBulkWriteError, ObjectId, Timestamp } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startDatabase, type TestDatabase } from "./start-database.ts";

interface Item {
  _id: number;
  n?: number;
  name?: string;
  tags?: string[];
  nested?: { a?: number; b?: number };
}

describe("reading and writing with the official driver", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await startDatabase();
  });
  afterAll(async () => {
    await database.stop();
  });
  const items = () => database.client.db("crud").collection<Item>("items");
  beforeEach(async () => {
    await items().deleteMany({});
  });

  it("stores documents in the order of insertion and gives them ids", async () => {
    const raw = database.client.db("crud").collection("raw");
    const { insertedIds } = await raw.insertMany([{ b: 1 }, { a: 2 }, { c: 3 }]);
    expect(Object.values(insertedIds).every((id) => id instanceof ObjectId)).toBe(true);
    expect((await raw.find().toArray()).map(({ _id, ...rest }) => rest)).toEqual([
      { b: 1 },
      { a: 2 },
      { c: 3 },
    ]);
  });

  it("keeps every BSON type as it was sent", async () => {
    const raw = database.client.db("crud").collection("types");
    const sent = {
      _id: new ObjectId(),
      double: new Double(1),
      int: new Int32(1),
      long: Long.fromNumber(1),
      date: new Date(5),
      text: "ü",
      none: null,
      list: [1, [2], {}],
      stamp: new Timestamp({ t: 5, i: 6 }),
    };
    await raw.insertOne(sent);
    const got = await raw.findOne({ _id: sent._id }, { promoteValues: false, promoteLongs: false });
    expect(got).toEqual({ ...sent, list: [new Int32(1), [new Int32(2)], {}] });
  });

  it("puts _id first, wherever it was sent", async () => {
    const raw = database.client.db("crud").collection("order");
    await raw.insertOne({ a: 1, _id: new ObjectId() });
    expect(Object.keys((await raw.findOne({})) ?? {})).toEqual(["_id", "a"]);
  });

  it("updates one, many, and inserts what an upsert does not find", async () => {
    await items().insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 1 },
      { _id: 3, n: 2 },
    ]);
    expect(await items().updateOne({ n: 1 }, { $inc: { n: 10 } })).toMatchObject({
      matchedCount: 1,
      modifiedCount: 1,
    });
    expect(await items().updateMany({}, { $set: { name: "x" } })).toMatchObject({
      matchedCount: 3,
      modifiedCount: 3,
    });
    expect(await items().updateMany({}, { $set: { name: "x" } })).toMatchObject({
      matchedCount: 3,
      modifiedCount: 0,
    });
    const upserted = await items().updateOne(
      { _id: 9 },
      { $set: { n: 5 }, $setOnInsert: { name: "new" } },
      { upsert: true },
    );
    expect(upserted).toMatchObject({ upsertedId: 9, upsertedCount: 1, matchedCount: 0 });
    expect(await items().findOne({ _id: 9 })).toEqual({ _id: 9, n: 5, name: "new" });
  });

  it("replaces, deletes one, deletes many", async () => {
    await items().insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 1 },
      { _id: 3, n: 1 },
    ]);
    await items().replaceOne({ _id: 2 }, { name: "replaced" });
    expect(await items().findOne({ _id: 2 })).toEqual({ _id: 2, name: "replaced" });
    expect((await items().deleteOne({ n: 1 })).deletedCount).toBe(1);
    expect((await items().deleteMany({})).deletedCount).toBe(2);
  });

  it("changes elements of arrays by position and operator", async () => {
    await items().insertOne({ _id: 1, tags: ["a", "b"] });
    await items().updateOne({ _id: 1, tags: "b" }, { $set: { "tags.$": "B" } });
    await items().updateOne({ _id: 1 }, { $push: { tags: { $each: ["c", "d"], $slice: -3 } } });
    expect((await items().findOne({ _id: 1 }))?.tags).toEqual(["B", "c", "d"]);
  });

  it("finds and modifies in one step, before or after", async () => {
    await items().insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    const before = await items().findOneAndUpdate({}, { $inc: { n: 1 } }, { sort: { n: -1 } });
    expect(before).toEqual({ _id: 2, n: 2 });
    const after = await items().findOneAndUpdate(
      { _id: 2 },
      { $inc: { n: 1 } },
      { returnDocument: "after", projection: { n: 1, _id: 0 } },
    );
    expect(after).toEqual({ n: 4 });
    expect(await items().findOneAndDelete({ _id: 1 })).toEqual({ _id: 1, n: 1 });
    expect(await items().findOneAndUpdate({ _id: 7 }, { $set: { n: 1 } })).toBeNull();
    const made = await items().findOneAndUpdate(
      { _id: 7 },
      { $set: { n: 1 } },
      { upsert: true, returnDocument: "after", includeResultMetadata: true },
    );
    expect(made.lastErrorObject).toMatchObject({ updatedExisting: false, upserted: 7, n: 1 });
    expect(made.value).toEqual({ _id: 7, n: 1 });
  });

  it("sorts across types, skips, limits and projects", async () => {
    const raw = database.client.db("crud").collection("sorted");
    await raw.insertMany([{ v: "b" }, { v: 2 }, { v: null }, { v: new Double(1.5) }, { v: true }]);
    const sorted = await raw.find({}, { sort: { v: 1 }, projection: { _id: 0 } }).toArray();
    expect(sorted.map(({ v }) => v)).toEqual([null, 1.5, 2, "b", true]);
    const part = raw
      .find({}, { projection: { _id: 0 } })
      .sort({ v: -1 })
      .skip(1)
      .limit(2);
    expect((await part.toArray()).map(({ v }) => v)).toEqual(["b", 2]);
  });

  it("counts and lists distinct values", async () => {
    await items().insertMany([
      { _id: 1, n: 1, tags: ["x", "y"] },
      { _id: 2, n: 1, tags: ["y"] },
      { _id: 3, n: 2 },
    ]);
    expect(await items().countDocuments({})).toBe(3);
    expect(await items().countDocuments({ n: 1 })).toBe(2);
    expect(await items().countDocuments({}, { skip: 1, limit: 1 })).toBe(1);
    expect(await items().countDocuments({ n: 77 })).toBe(0);
    expect(await items().estimatedDocumentCount()).toBe(3);
    expect(await items().distinct("tags")).toEqual(["x", "y"]);
    expect(await items().distinct("n", { _id: { $gt: 1 } })).toEqual([1, 2]);
  });

  it("goes on after a failed insert only if unordered, and reports each failure", async () => {
    await items().insertOne({ _id: 2 });
    const documents = [{ _id: 1 }, { _id: 2 }, { _id: 3 }];
    const ordered = await items()
      .insertMany(documents)
      .catch((error: unknown) => error);
    expect(ordered).toBeInstanceOf(MongoBulkWriteError);
    expect(await items().countDocuments({})).toBe(2);
    const unordered = await items()
      .insertMany([{ _id: 2 }, { _id: 3 }, { _id: 2 }, { _id: 4 }], { ordered: false })
      .catch((error: unknown) => error);
    if (!(unordered instanceof MongoBulkWriteError)) {
      throw new Error("an error is expected");
    }
    expect(unordered.insertedCount).toBe(2);
    expect([unordered.writeErrors].flat().map(({ index, code }) => [index, code])).toEqual([
      [0, 11000],
      [2, 11000],
    ]);
    expect(await items().countDocuments({})).toBe(4);
  });

  it("runs mixed bulk writes", async () => {
    const result = await items().bulkWrite([
      { insertOne: { document: { _id: 1, n: 1 } } },
      { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } } },
      { replaceOne: { filter: { _id: 2 }, replacement: { n: 9 }, upsert: true } },
      { deleteOne: { filter: { _id: 1 } } },
    ]);
    expect(result).toMatchObject({ insertedCount: 1, modifiedCount: 1, deletedCount: 1 });
    expect(result.upsertedIds).toEqual({ 2: 2 });
    expect(await items().find().toArray()).toEqual([{ _id: 2, n: 9 }]);
  });

  it("takes unacknowledged writes in their order", async () => {
    for (let _id = 0; _id < 50; _id += 1) {
      await items().insertOne({ _id }, { writeConcern: { w: 0 } });
    }
    await expect.poll(() => items().countDocuments({}), { timeout: 5000, interval: 10 }).toBe(50);
    const { acknowledged } = await items().insertOne({ _id: 0 }, { writeConcern: { w: 0 } });
    expect(acknowledged).toBe(false);
  });

  it("lists, creates and drops collections and databases", async () => {
    const db = database.client.db("listing");
    await db.createCollection("a");
    await db.collection("b").insertOne({});
    expect((await db.listCollections().toArray()).map(({ name }) => name)).toEqual(["a", "b"]);
    expect(await db.collection("b").countDocuments({})).toBe(1);
    expect(await db.dropCollection("a")).toBe(true);
    const { databases } = await db.admin().listDatabases();
    expect(databases.map(({ name }) => name)).toContain("listing");
    await db.dropDatabase();
    expect(await db.listCollections().toArray()).toEqual([]);
  });

  it("answers the questions that drivers and tests ask", async () => {
    const admin = database.client.db("admin");
    for (const command of [{ buildInfo: 1 }, { serverStatus: 1 }, { ping: 1 }]) {
      expect(await admin.command(command)).toMatchObject({ ok: 1 });
    }
  });

  it("loses none of many concurrent increments", async () => {
    await items().insertOne({ _id: 1, n: 0 });
    await Promise.all(
      Array.from({ length: 100 }, () => items().updateOne({ _id: 1 }, { $inc: { n: 1 } })),
    );
    expect((await items().findOne({ _id: 1 }))?.n).toBe(100);
  });
});
