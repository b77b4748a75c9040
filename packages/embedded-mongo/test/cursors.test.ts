import { Long, MongoServerError } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDatabase, type TestDatabase } from "./start-database.ts";

describe("cursors", () => {
  let database: TestDatabase;
  const rows = () => database.client.db("cursors").collection<{ _id: number; pad: string }>("rows");
  beforeAll(async () => {
    database = await startDatabase();
    await rows().insertMany(
      Array.from({ length: 1000 }, (_, i) => ({ _id: i, pad: "x".repeat(100) })),
    );
  });
  afterAll(async () => {
    await database.stop();
  });
  const command = (body: Record<string, unknown>) =>
    database.client.db("cursors").command(body, { promoteLongs: false });

  it("gives batches of the size that was asked for, to the end", async () => {
    const first = await command({ find: "rows", batchSize: 3 });
    expect(first["cursor"].firstBatch).toHaveLength(3);
    const id: Long = first["cursor"].id;
    expect(id.isZero()).toBe(false);
    const second = await command({ getMore: id, collection: "rows", batchSize: 7 });
    expect(second["cursor"].nextBatch).toHaveLength(7);
    const rest = await command({ getMore: id, collection: "rows" });
    expect(rest["cursor"].nextBatch).toHaveLength(990);
    expect(rest["cursor"].id.isZero()).toBe(true);
  });

  it("starts with 101 documents, and with none if asked so", async () => {
    expect((await command({ find: "rows" }))["cursor"].firstBatch).toHaveLength(101);
    const none = await command({ find: "rows", batchSize: 0 });
    expect(none["cursor"].firstBatch).toHaveLength(0);
    expect(none["cursor"].id.isZero()).toBe(false);
  });

  it("closes at the limit and with a single batch", async () => {
    const limited = await command({ find: "rows", limit: 5 });
    expect(limited["cursor"].id.isZero()).toBe(true);
    const single = await command({ find: "rows", batchSize: 5, singleBatch: true });
    expect(single["cursor"].firstBatch).toHaveLength(5);
    expect(single["cursor"].id.isZero()).toBe(true);
  });

  it("forgets a killed cursor, and knows no other", async () => {
    const { cursor } = await command({ find: "rows", batchSize: 1 });
    const killed = await command({ killCursors: "rows", cursors: [cursor.id, Long.fromNumber(5)] });
    expect(killed["cursorsKilled"]).toEqual([cursor.id]);
    expect(killed["cursorsNotFound"]).toEqual([Long.fromNumber(5)]);
    const error = await command({ getMore: cursor.id, collection: "rows" }).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(MongoServerError);
    expect(error).toMatchObject({ code: 43, codeName: "CursorNotFound" });
  });

  it("goes on over changes made between batches", async () => {
    const other = database.client.db("cursors").collection<{ _id: number }>("moving");
    await other.insertMany(Array.from({ length: 50 }, (_, i) => ({ _id: i })));
    const cursor = other.find({}, { batchSize: 10 });
    const seen = [(await cursor.next())?._id];
    await other.deleteMany({ _id: { $gte: 20, $lt: 40 } });
    await other.insertOne({ _id: 100 });
    for await (const { _id } of cursor) {
      seen.push(_id);
    }
    expect(seen).toContain(49);
    expect(seen).toContain(100);
    expect(seen.filter((id) => id !== undefined && id >= 30 && id < 40)).toEqual([]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("splits batches that are larger than a message may be", async () => {
    const big = database.client.db("cursors").collection("big");
    for (let i = 0; i < 5; i += 1) {
      await big.insertOne({ pad: Buffer.alloc(7_000_000) });
    }
    const first = await command({ find: "big" });
    expect(first["cursor"].firstBatch).toHaveLength(1);
    expect(await big.find().toArray()).toHaveLength(5);
  });

  it("ends a read that takes longer than it may", async () => {
    const slow = rows().find({ pad: /(x|y)*none$/ }, { maxTimeMS: 1 });
    const error = await slow.toArray().catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 50, codeName: "MaxTimeMSExpired" });
  });

  it("ends a cursor whose index was dropped", async () => {
    const indexed = database.client.db("cursors").collection("indexed");
    await indexed.createIndex({ n: 1 });
    await indexed.insertMany(Array.from({ length: 1_000 }, (_, n) => ({ n })));
    const cursor = indexed.find({ n: { $gte: 0 } }, { batchSize: 10 });
    await cursor.next();
    await indexed.dropIndex("n_1");
    await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
  });

  it("ends the cursors of a dropped collection", async () => {
    const doomed = database.client.db("cursors").collection("doomed");
    await doomed.insertMany(Array.from({ length: 10 }, () => ({})));
    const { cursor } = await command({ find: "doomed", batchSize: 1 });
    await doomed.drop();
    const error = await command({ getMore: cursor.id, collection: "doomed" }).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({ code: 43 });
  });
});
