import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDatabase, type TestDatabase } from "./start-database.ts";

describe("aggregation", () => {
  let database: TestDatabase;
  const db = () => database.client.db("aggregate");
  beforeAll(async () => {
    database = await startDatabase();
    await db()
      .collection<{ _id: number; session: string; tokens: number; tags: string[] }>("turns")
      .insertMany(
        Array.from({ length: 30 }, (_, i) => ({
          _id: i,
          session: `s${i % 3}`,
          tokens: i,
          tags: i % 2 === 0 ? ["even", "n"] : ["n"],
        })),
      );
    await db().collection("turns").createIndex({ session: 1, tokens: -1 });
    await db()
      .collection<{ _id: string; title: string }>("sessions")
      .insertMany([
        { _id: "s0", title: "zero" },
        { _id: "s1", title: "one" },
        { _id: "s9", title: "none" },
      ]);
  });
  afterAll(async () => {
    await database.stop();
  });
  const run = (collection: string, pipeline: object[]) =>
    db().collection(collection).aggregate(pipeline).toArray();

  it("groups, unwinds and sorts", async () => {
    expect(
      await run("turns", [
        { $match: { session: { $in: ["s0", "s1"] } } },
        { $unwind: "$tags" },
        { $group: { _id: "$tags", n: { $sum: 1 }, tokens: { $sum: "$tokens" } } },
        { $sort: { _id: 1 } },
      ]),
    ).toEqual([
      { _id: "even", n: 10, tokens: 140 },
      { _id: "n", n: 20, tokens: 280 },
    ]);
  });

  it("joins other collections by field and by pipeline", async () => {
    const joined = await run("sessions", [
      { $lookup: { from: "turns", localField: "_id", foreignField: "session", as: "turns" } },
      { $project: { title: 1, n: { $size: "$turns" } } },
    ]);
    expect(joined).toEqual([
      { _id: "s0", title: "zero", n: 10 },
      { _id: "s1", title: "one", n: 10 },
      { _id: "s9", title: "none", n: 0 },
    ]);
    const latest = await run("sessions", [
      { $match: { _id: "s1" } },
      {
        $lookup: {
          from: "turns",
          let: { id: "$_id" },
          pipeline: [
            { $match: { $expr: { $eq: ["$session", "$$id"] } } },
            { $sort: { tokens: -1 } },
            { $limit: 1 },
          ],
          as: "latest",
        },
      },
    ]);
    expect(latest[0]?.["latest"]).toMatchObject([{ _id: 28 }]);
  });

  it("facets and counts", async () => {
    const [facets] = await run("turns", [
      {
        $facet: {
          all: [{ $count: "n" }],
          top: [{ $sort: { tokens: -1 } }, { $limit: 2 }, { $project: { _id: 1 } }],
        },
      },
    ]);
    expect(facets).toEqual({ all: [{ n: 30 }], top: [{ _id: 29 }, { _id: 28 }] });
  });

  it("serves a leading $match and $sort from an index", async () => {
    const pipeline = [{ $match: { session: "s2" } }, { $sort: { tokens: -1 } }, { $limit: 3 }];
    expect((await run("turns", pipeline)).map(({ _id }) => _id)).toEqual([29, 26, 23]);
    const explained = await db().collection("turns").aggregate(pipeline).explain("executionStats");
    expect(JSON.stringify(explained)).toContain('"indexName":"session_1_tokens_-1"');
    expect(JSON.stringify(explained)).not.toContain('"SORT"');
  });

  it("streams long results in batches", async () => {
    const cursor = db()
      .collection("turns")
      .aggregate([{ $project: { tokens: 1 } }], { batchSize: 7 });
    const seen: number[] = [];
    for await (const { _id } of cursor) {
      seen.push(Number(_id));
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => i));
  });

  it("answers nothing for a collection that is not there", async () => {
    expect(await run("nowhere", [{ $match: { a: 1 } }])).toEqual([]);
    expect(await db().collection("nowhere").countDocuments({})).toBe(0);
  });

  it("updates by pipeline", async () => {
    const rows = db().collection<{ _id: number; a: number; b?: number }>("piped");
    await rows.insertOne({ _id: 1, a: 2 });
    await rows.updateOne({ _id: 1 }, [{ $set: { b: { $multiply: ["$a", 3] } } }]);
    expect(await rows.findOne({ _id: 1 })).toEqual({ _id: 1, a: 2, b: 6 });
  });

  it("replaces a collection by the results of $out, and keeps its indexes", async () => {
    const target = db().collection<{ _id: number; old?: boolean }>("out");
    await target.insertOne({ _id: 99, old: true });
    await target.createIndex({ tokens: 1 }, { unique: true });
    expect(await run("turns", [{ $match: { session: "s1" } }, { $out: "out" }])).toEqual([]);
    expect(await target.countDocuments({})).toBe(10);
    expect(await target.findOne({ old: true })).toBeNull();
    expect(await target.indexes()).toHaveLength(2);
    const failing = run("turns", [{ $project: { tokens: "same" } }, { $out: "out" }]);
    await expect(failing).rejects.toMatchObject({ code: 11000 });
    expect(await target.countDocuments({})).toBe(10);
  });

  it("merges results into what is there", async () => {
    const target = db().collection<{ _id: string; n?: number; kept?: boolean }>("merged");
    await target.insertMany([{ _id: "s0", kept: true }]);
    const group = { $group: { _id: "$session", n: { $sum: 1 } } };
    await run("turns", [group, { $merge: { into: "merged" } }]);
    expect(await target.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: "s0", kept: true, n: 10 },
      { _id: "s1", n: 10 },
      { _id: "s2", n: 10 },
    ]);
    const add = [{ $set: { n: { $add: ["$n", "$$new.n"] } } }];
    await run("turns", [group, { $merge: { into: "merged", whenMatched: add } }]);
    expect((await target.findOne({ _id: "s2" }))?.n).toBe(20);
    const fail = run("turns", [group, { $merge: { into: "merged", whenMatched: "fail" } }]);
    await expect(fail).rejects.toMatchObject({ code: 11000 });
  });
});
