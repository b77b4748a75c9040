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
  });
  afterAll(async () => {
    await database.stop();
  });
  const run = (collection: string, pipeline: object[]) =>
    db().collection(collection).aggregate(pipeline).toArray();

  it("groups and sums, by a field and by nothing", async () => {
    expect(
      await run("turns", [
        { $match: { session: { $in: ["s0", "s1"] } } },
        { $group: { _id: "$session", n: { $sum: 1 }, tokens: { $sum: "$tokens" } } },
        { $sort: { _id: 1 } },
      ]),
    ).toEqual([
      { _id: "s0", n: 10, tokens: 135 },
      { _id: "s1", n: 10, tokens: 145 },
    ]);
    const all = { $group: { _id: null, half: { $sum: 0.5 }, none: { $sum: "$tags" } } };
    expect(await run("turns", [all])).toEqual([{ _id: null, half: 15, none: 0 }]);
    expect(await run("turns", [{ $group: { _id: "$nested.x" } }])).toEqual([{ _id: null }]);
  });

  it("skips, limits, projects and counts", async () => {
    expect(
      await run("turns", [
        { $project: { tokens: 1 } },
        { $sort: { tokens: -1 } },
        { $skip: 1 },
        { $limit: 2 },
      ]),
    ).toEqual([
      { _id: 28, tokens: 28 },
      { _id: 27, tokens: 27 },
    ]);
    expect(await run("turns", [{ $limit: 7 }, { $count: "n" }])).toEqual([{ n: 7 }]);
    expect(await run("turns", [{ $match: { _id: 99 } }, { $count: "n" }])).toEqual([]);
  });

  it.each<[object, number, string]>([
    [{ $lookup: { from: "a", as: "b" } }, 115, "$lookup"],
    [{ $unwind: "$tags" }, 115, "$unwind"],
    [{ $facet: {} }, 115, "$facet"],
    [{ $addFields: { a: 1 } }, 115, "$addFields"],
    [{ $set: { a: 1 } }, 115, "$set"],
    [{ $unset: "a" }, 115, "$unset"],
    [{ $replaceRoot: { newRoot: "$a" } }, 115, "$replaceRoot"],
    [{ $bucket: {} }, 115, "$bucket"],
    [{ $sample: { size: 1 } }, 115, "$sample"],
    [{ $unionWith: "a" }, 115, "$unionWith"],
    [{ $graphLookup: {} }, 115, "$graphLookup"],
    [{ $sortByCount: "$a" }, 115, "$sortByCount"],
    [{ $out: "a" }, 115, "$out"],
    [{ $merge: "a" }, 115, "$merge"],
    [{ $nope: 1 }, 40324, "$nope"],
    [{ $match: { $expr: true } }, 238, "$expr"],
    [{ $project: { a: "$b" } }, 238, "$b"],
    [{ $project: { a: { $add: [1, 2] } } }, 168, "$add"],
    [{ $project: {} }, 51272, "$project"],
    [{ $group: { _id: { a: "$b" } } }, 238, "$group"],
    [{ $group: { _id: { $year: "$b" } } }, 238, "$year"],
    [{ $group: { _id: "$$ROOT" } }, 238, "$$ROOT"],
    [{ $group: { _id: null, a: { $avg: "$b" } } }, 238, "$avg"],
    [{ $group: { _id: null, a: { $sum: { $size: "$b" } } } }, 238, "$size"],
    [{ $group: { n: { $sum: 1 } } }, 15955, "_id"],
    [{ $limit: 0 }, 15958, "limit"],
    [{ $skip: -1 }, 5107200, "$skip"],
    [{ $sort: {} }, 15976, "$sort"],
  ])("%j is refused by name", async (stage, code, named) => {
    const refused = await run("turns", [stage]).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code, message: expect.stringContaining(named) });
  });

  it("serves a leading $match and $sort from an index", async () => {
    const pipeline = [{ $match: { session: "s2" } }, { $sort: { tokens: -1 } }, { $limit: 3 }];
    expect((await run("turns", pipeline)).map(({ _id }) => _id)).toEqual([29, 26, 23]);
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
});
