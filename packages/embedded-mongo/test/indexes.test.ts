import { MongoServerError } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startDatabase, type TestDatabase } from "./start-database.ts";

interface Row {
  _id: number | string;
  [field: string]: unknown;
}

describe("indexes", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await startDatabase({ ttlIntervalSeconds: 0.05 });
  });
  afterAll(async () => {
    await database.stop();
  });
  let count = 0;
  const rows = () => database.client.db("indexes").collection<Row>(`rows${count}`);
  beforeEach(() => {
    count += 1;
  });

  /** Every answer below is checked against the same query without an index. */
  async function expectSameAsScan(filter: object, sort: Record<string, 1 | -1> = { _id: 1 }) {
    const withIndex = await rows().find(filter).sort(sort).toArray();
    const scanned = await rows().find(filter).sort(sort).hint({ $natural: 1 }).toArray();
    expect(withIndex).toEqual(scanned);
    return withIndex;
  }

  async function stageOf(filter: object, sort?: Record<string, 1 | -1>) {
    const cursor = rows().find(filter);
    if (sort !== undefined) {
      cursor.sort(sort);
    }
    const { queryPlanner } = await cursor.explain("queryPlanner");
    return queryPlanner.winningPlan;
  }

  async function valid() {
    const report = await database.client.db("indexes").command({ validate: rows().collectionName });
    expect(report).toMatchObject({ valid: true, errors: [] });
  }

  async function refused(action: Promise<unknown>): Promise<MongoServerError> {
    const error = await action.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof MongoServerError)) {
      throw new Error(`no server error: ${String(error)}`);
    }
    return error;
  }

  it("says E11000 with index, key and value, as MongoDB does", async () => {
    await rows().createIndex({ name: 1, "at.x": -1 }, { unique: true });
    await rows().insertOne({ _id: 1, name: "a", at: { x: 5 } });
    const error = await refused(rows().insertOne({ _id: 2, name: "a", at: { x: 5 } }));
    expect(error.code).toBe(11000);
    expect(error.message).toBe(
      `E11000 duplicate key error collection: indexes.${rows().collectionName} index: name_1_at.x_-1 dup key: { name: "a", at.x: 5 }`,
    );
    expect(error["keyPattern"]).toEqual({ name: 1, "at.x": -1 });
    expect(error["keyValue"]).toEqual({ name: "a", "at.x": 5 });
    const same = await refused(rows().insertOne({ _id: 1 }));
    expect(same["keyValue"]).toEqual({ _id: 1 });
    await rows().insertOne({ _id: 3, name: "b", at: { x: 5 } });
    const moved = await refused(rows().updateOne({ _id: 3 }, { $set: { name: "a" } }));
    expect(moved.code).toBe(11000);
    expect(await rows().findOne({ _id: 3 })).toMatchObject({ name: "b" });
    await valid();
  });

  it("compares numbers of different types as equal keys", async () => {
    await rows().createIndex({ n: 1 }, { unique: true });
    await rows().insertOne({ _id: 1, n: 1 });
    expect((await refused(rows().insertOne({ _id: 2, n: 1n }))).code).toBe(11000);
  });

  it("does not build a unique index over duplicates, and leaves no trace of it", async () => {
    await rows().insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 1 },
    ]);
    expect((await refused(rows().createIndex({ n: 1 }, { unique: true }))).code).toBe(11000);
    expect(await rows().indexes()).toHaveLength(1);
    await rows().insertOne({ _id: 3, n: 1 });
    await valid();
  });

  it("allows one unsettled turn a session by a partial unique index", async () => {
    await rows().createIndex(
      { session: 1 },
      { unique: true, partialFilterExpression: { unsettled: true } },
    );
    await rows().insertMany([
      { _id: 1, session: "s" },
      { _id: 2, session: "s" },
      { _id: 3, session: "s", unsettled: true },
    ]);
    expect((await refused(rows().insertOne({ _id: 4, session: "s", unsettled: true }))).code).toBe(
      11000,
    );
    expect((await refused(rows().updateOne({ _id: 1 }, { $set: { unsettled: true } }))).code).toBe(
      11000,
    );
    await rows().updateOne({ _id: 3 }, { $unset: { unsettled: 1 } });
    await rows().insertOne({ _id: 5, session: "s", unsettled: true });
    const plan = await stageOf({ session: "s", unsettled: true });
    expect(plan.inputStage.indexName).toBe("session_1");
    expect((await stageOf({ session: "s" })).stage).toBe("COLLSCAN");
    expect(await expectSameAsScan({ session: "s", unsettled: true })).toHaveLength(1);
    await valid();
  });

  it("lets exactly one of many rivals claim a unique key", async () => {
    await rows().createIndex({ lock: 1 }, { unique: true });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, i) => rows().insertOne({ _id: i, lock: "one" })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("leaves documents without the field out of a sparse index", async () => {
    await rows().createIndex({ s: 1 }, { unique: true, sparse: true });
    await rows().insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3, s: 1 }]);
    expect((await stageOf({ s: 1 })).inputStage.indexName).toBe("s_1");
    expect(await expectSameAsScan({ s: null })).toHaveLength(2);
    expect(await rows().find().sort({ s: 1 }).toArray()).toHaveLength(3);
    await valid();
  });

  it("finds documents by each element of an array", async () => {
    await rows().createIndex({ tags: 1 });
    await rows().createIndex({ "list.a": 1, "list.b": 1 });
    await rows().insertMany([
      { _id: 1, tags: ["x", "y", "x"] },
      {
        _id: 2,
        tags: "y",
        list: [
          { a: 1, b: 2 },
          { a: 3, b: 4 },
        ],
      },
      { _id: 3, tags: [], list: { a: 1, b: 4 } },
      { _id: 4, tags: [1, 20] },
    ]);
    expect(await expectSameAsScan({ tags: "y" })).toHaveLength(2);
    expect((await stageOf({ tags: "y" })).inputStage).toMatchObject({ isMultiKey: true });
    expect(await expectSameAsScan({ tags: { $gt: 5, $lt: 10 } })).toHaveLength(1);
    expect(await expectSameAsScan({ "list.a": 1, "list.b": 4 })).toHaveLength(2);
    expect(await expectSameAsScan({ tags: { $in: ["x", "y"] } })).toHaveLength(2);
    await expectSameAsScan({ tags: [] });
    await expectSameAsScan({}, { tags: -1 });
    await rows().updateOne({ _id: 1 }, { $set: { tags: ["y"] } });
    expect(await expectSameAsScan({ tags: "x" })).toHaveLength(0);
    await valid();
  });

  it("uses compound indexes for equality, ranges, prefixes and orders", async () => {
    await rows().createIndex({ session: 1, seq: -1 });
    const many = Array.from({ length: 60 }, (_, i) => ({
      _id: i,
      session: `s${i % 3}`,
      seq: i % 7 === 0 ? null : i,
    }));
    await rows().insertMany(many);
    for (const filter of [
      { session: "s1" },
      { session: "s1", seq: { $gt: 10, $lte: 30 } },
      { session: { $in: ["s0", "s2"] }, seq: { $in: [1, 2, 5, null] } },
      { session: /^s1/, seq: 4 },
      { session: { $gte: "s1" } },
      { session: "s1", seq: null },
    ]) {
      await expectSameAsScan(filter);
      expect((await stageOf(filter)).stage).toBe("FETCH");
    }
    const backward = await stageOf({ session: "s1" }, { seq: 1 });
    expect(backward.inputStage).toMatchObject({ stage: "IXSCAN", direction: "backward" });
    await expectSameAsScan({ session: "s1" }, { seq: 1, _id: 1 });
    const whole = await stageOf({}, { session: -1, seq: 1 });
    expect(whole.inputStage).toMatchObject({
      indexName: "session_1_seq_-1",
      direction: "backward",
    });
    expect((await stageOf({}, { session: 1, seq: 1 })).stage).toBe("SORT");
    const both = await stageOf({ session: { $in: ["s0", "s1"] } }, { seq: -1 });
    expect(both.stage).toBe("SORT");
    const first = await rows().find({ session: "s1" }).sort({ seq: -1 }).limit(3).toArray();
    expect(first.map(({ seq }) => seq)).toEqual([58, 55, 52]);
  });

  it("serves long keys, and keys that only differ past the limit", async () => {
    await rows().createIndex({ text: 1 }, { unique: true });
    const long = "x".repeat(5000);
    await rows().insertMany([
      { _id: 1, text: `${long}a` },
      { _id: 2, text: `${long}b` },
      { _id: 3, text: "short" },
    ]);
    expect((await refused(rows().insertOne({ _id: 4, text: `${long}a` }))).code).toBe(11000);
    expect(await expectSameAsScan({ text: `${long}b` })).toMatchObject([{ _id: 2 }]);
    await expectSameAsScan({ text: { $gte: `${long}b` } });
    await expectSameAsScan({ text: { $lt: `${long}b` } });
    await expectSameAsScan({}, { text: -1 });
    await valid();
  });

  it("expires documents by a TTL index, and only dates", async () => {
    await rows().createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await rows().insertMany([
      { _id: "old", at: new Date(Date.now() - 61_000) },
      { _id: "fresh", at: new Date() },
      { _id: "text", at: "2001-01-01" },
      { _id: "none" },
      { _id: "list", at: [new Date(), new Date(0)] },
    ]);
    await expect
      .poll(async () => (await rows().find().toArray()).map(({ _id }) => _id), { timeout: 10_000 })
      .toEqual(["fresh", "text", "none"]);
    await valid();
  });

  it("refuses an index that contradicts one that is there, and repeats in silence", async () => {
    await rows().createIndex({ a: 1 });
    await rows().createIndex({ a: 1 });
    expect((await refused(rows().createIndex({ b: 1 }, { name: "a_1" }))).code).toBe(86);
    expect((await refused(rows().createIndex({ a: 1 }, { unique: true }))).code).toBe(85);
    expect((await refused(rows().createIndex({ a: 1 }, { name: "other" }))).code).toBe(85);
    await rows().dropIndex("a_1");
    expect((await refused(rows().dropIndex("a_1"))).code).toBe(27);
    expect((await refused(rows().dropIndex("_id_"))).code).toBe(72);
    await rows().createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }]);
    await rows().dropIndexes();
    expect(await rows().indexes()).toHaveLength(1);
  });

  it("builds an index over what is there and forgets a dropped one", async () => {
    await rows().insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, n: i % 50 })));
    await rows().createIndex({ n: 1 });
    expect(await expectSameAsScan({ n: 7 })).toHaveLength(10);
    await rows().dropIndex("n_1");
    expect((await stageOf({ n: 7 })).stage).toBe("COLLSCAN");
    await rows().createIndex({ n: 1 });
    expect(await expectSameAsScan({ n: 7 })).toHaveLength(10);
    await valid();
  });

  it("obeys a hint and refuses one that names nothing", async () => {
    await rows().createIndex({ a: 1 });
    await rows().insertOne({ _id: 1, a: 1, b: 1 });
    const cursor = rows().find({ b: 1 }).hint("a_1");
    const { queryPlanner } = await cursor.explain("queryPlanner");
    expect(queryPlanner.winningPlan.inputStage.indexName).toBe("a_1");
    expect((await refused(rows().find({}).hint("nope").toArray())).code).toBe(2);
  });
});
