import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Document, MongoClient, MongoServerError } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDatabase, type TestDatabase, temporaryFolder } from "./start-database.ts";

/** A document whose id is what a test makes it. */
type Row = { _id: unknown; [field: string]: unknown };

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

let made = 0;
const rowsOf = (name = `rows${(made += 1)}`) => database.client.db("like").collection(name);
const rowsWithIds = () => database.client.db("like").collection<Row>(`rows${(made += 1)}`);

async function code(action: Promise<unknown>): Promise<unknown> {
  const error = await action.then(
    (value) => new Error(`not refused: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MongoServerError)) {
    throw error;
  }
  return error.code;
}

describe("a greeting", () => {
  it("may tell what this server does not know", async () => {
    const reply = await database.client.db("admin").command({ hello: 1, backpressure: "2" });
    expect(reply).toMatchObject({ isWritablePrimary: true, ok: 1 });
  });

  it("may ask for the stable interface", async () => {
    const client = new MongoClient(database.uri, {
      serverApi: { version: "1", strict: true, deprecationErrors: true },
    });
    try {
      await client.connect();
      await client.db("like").collection("stable").insertOne({ a: 1 });
      expect(await client.db("like").collection("stable").countDocuments({})).toBe(1);
    } finally {
      await client.close();
    }
  });
});

describe("a collection that does not exist", () => {
  const run = (body: Record<string, unknown>) => database.client.db("like").command(body);

  it.each<[Record<string, unknown>, number]>([
    [{ find: "none", filter: { a: { $nonsense: 1 } } }, 2],
    [{ find: "none", filter: { $where: "1" } }, 238],
    [{ find: "none", projection: { a: 1, b: 0 } }, 31254],
    [{ find: "none", sort: { a: 5 } }, 15975],
    [{ count: "none", query: { $text: { $search: "a" } } }, 238],
    [{ distinct: "none", key: "a", query: { a: { $nonsense: 1 } } }, 2],
    [{ findAndModify: "none", query: { a: { $nonsense: 1 } }, remove: true }, 2],
    [{ findAndModify: "none", query: { a: { $nonsense: 1 } }, update: { a: 1 } }, 2],
    [{ findAndModify: "none", query: {}, remove: true, fields: { a: 1, b: 0 } }, 31254],
    [{ findAndModify: "none", query: {}, update: { a: 1 }, fields: { a: 1, b: 0 } }, 31254],
    [{ findAndModify: "none", query: {}, remove: true, sort: { a: 5 } }, 15975],
    [{ findAndModify: "none", query: {}, update: { $set: { a: 1 } }, sort: { a: 5 } }, 15975],
    [{ findAndModify: "none", query: {}, update: { $nonsense: { a: 1 } } }, 9],
    [{ aggregate: "none", pipeline: [{ $match: { a: { $nonsense: 1 } } }], cursor: {} }, 2],
  ])("is asked like any other: %j", async (body, expected) => {
    expect(await code(run(body))).toBe(expected);
  });

  it("refuses the filter of a delete and of an update", async () => {
    const statement = { q: { a: { $nonsense: 1 } } };
    const refused = { writeErrors: [{ code: 2 }] };
    expect(await run({ delete: "none", deletes: [{ ...statement, limit: 0 }] })).toMatchObject(
      refused,
    );
    const update = { ...statement, u: { $set: { a: 1 } } };
    expect(await run({ update: "none", updates: [update] })).toMatchObject(refused);
  });

  it("is empty, and stays away", async () => {
    expect(await rowsOf("none").find({}).sort({ a: 1 }).hint({ b: 1 }).toArray()).toEqual([]);
    expect(await rowsOf("none").updateMany({ a: 1 }, { $set: { a: 2 } })).toMatchObject({
      matchedCount: 0,
    });
    const names = await database.client.db("like").listCollections({ name: "none" }).toArray();
    expect(names).toEqual([]);
  });
});

describe("null in an array", () => {
  it("has the same key as null in a unique index", async () => {
    const rows = rowsOf();
    await rows.createIndex({ a: 1 }, { unique: true });
    await rows.insertOne({ a: null });
    expect(await code(rows.insertOne({ a: [null] }))).toBe(11000);
    expect(await code(rows.insertOne({ a: [null, 1] }))).toBe(11000);
    expect(await code(rows.insertOne({}))).toBe(11000);
    await rows.insertOne({ a: [] });
    await rows.deleteOne({ a: null });
    await rows.insertOne({ a: [null] });
  });

  it("is found and sorted by an index as without one", async () => {
    const rows = rowsWithIds();
    await rows.insertMany([
      { _id: 1, a: [null, 5] },
      { _id: 2 },
      { _id: 3, a: null },
      { _id: 4, a: [] },
    ]);
    const asked = async () => [
      (await rows.find({}).sort({ a: 1, _id: 1 }).toArray()).map(({ _id }) => _id),
      (await rows.find({ a: [null, 5] }).toArray()).map(({ _id }) => _id),
      (await rows.find({ a: null }).sort({ _id: 1 }).toArray()).map(({ _id }) => _id),
    ];
    const without = await asked();
    expect(without).toEqual([[4, 1, 2, 3], [1], [1, 2, 3]]);
    await rows.createIndex({ a: 1, _id: 1 });
    expect(await asked()).toEqual(without);
  });

  it("in a store of the first format is keyed anew once", async () => {
    const folder = temporaryFolder();
    const sample = new URL("./samples/format-1.mdb.gz", import.meta.url);
    writeFileSync(join(folder.path, "data.mdb"), gunzipSync(readFileSync(sample)));
    for (const _ of ["first", "again"]) {
      const old = await startDatabase({ dataDir: folder.path });
      const rows = old.client.db("d").collection<Row>("rows");
      const byIndex = await rows.find({ tags: null }).hint({ tags: 1 }).sort({ _id: 1 }).toArray();
      expect(byIndex.map(({ _id }) => _id)).toEqual([1, 4]);
      const found = await old.client.db("d").command({ validate: "rows" });
      expect(found).toMatchObject({ valid: true });
      await old.stop();
    }
    folder.remove();
  });
});

describe("an update", () => {
  it.each<[Document, Document]>([
    [{ a: 1 }, { $pop: { "a.b": 1 } }],
    [{ a: 1 }, { $pull: { "a.b": 1 } }],
    [{ a: [1] }, { $pullAll: { "a.b": [1] } }],
  ])("of %j refuses a path that is blocked: %j", async (doc, change) => {
    const rows = rowsOf();
    await rows.insertOne({ ...doc });
    expect(await code(rows.updateOne({}, change))).toBe(28);
  });

  it("takes away what is blocked or missing without a word, as only $unset does", async () => {
    const rows = rowsOf();
    await rows.insertOne({ a: 1 });
    const change: Document = { $unset: { "a.b": 1 }, $pullAll: { "b.c": [1] } };
    const result = await rows.updateOne({}, change);
    expect(result).toMatchObject({ matchedCount: 1, modifiedCount: 0 });
  });

  it("refuses the positional operator where the filter names the position", async () => {
    const rows = rowsOf();
    await rows.insertOne({ a: [0, 1] });
    expect(await code(rows.updateOne({ "a.0": 0 }, { $set: { "a.$": 9 } }))).toBe(2);
    await rows.updateOne({ a: 1 }, { $set: { "a.$": 9 } });
    expect(await rows.findOne({}, { projection: { _id: 0 } })).toEqual({ a: [0, 9] });
  });

  it("that fails in the middle counts nothing", async () => {
    const rows = rowsOf();
    await rows.insertMany([{ a: 1 }, { a: 2 }, { a: "three" }]);
    const reply = await database.client.db("like").command({
      update: rows.collectionName,
      updates: [{ q: {}, u: { $inc: { a: 1 } }, multi: true }],
    });
    expect(reply).toMatchObject({ n: 0, nModified: 0, writeErrors: [{ code: 14 }] });
  });
});

describe("an upsert", () => {
  const upsert = { upsert: true } as const;

  it("takes a value that $in leaves no choice about", async () => {
    const rows = rowsWithIds();
    const filter: Document = { _id: { $in: [1] }, kind: { $in: ["a"] } };
    await rows.updateOne(filter, { $set: { b: 2 } }, upsert);
    expect(await rows.findOne({})).toEqual({ _id: 1, kind: "a", b: 2 });
  });

  it("refuses an _id that is only known in parts, or can't be stored", async () => {
    const rows = rowsOf();
    const replaced = rows.replaceOne({ "_id.x": 1, "_id.y": 2 }, { b: 1 }, upsert);
    expect(await code(replaced)).toBe(111);
    const changed = rows.updateOne({ a: 1 }, { $set: { _id: { $invalid: 1 } } }, upsert);
    expect(await code(changed)).toBe(52);
    expect(await rows.countDocuments({})).toBe(0);
  });
});

it("a count hears the hint", async () => {
  const rows = rowsOf();
  await rows.createIndex({ a: 1 }, { sparse: true, name: "sparse" });
  await rows.insertMany([{}, {}]);
  expect(await rows.countDocuments({}, { hint: "sparse" })).toBe(0);
  expect(await code(rows.countDocuments({}, { hint: "BAD" }))).toBe(2);
});

it("indexes of one key are dropped by their names", async () => {
  const rows = rowsOf();
  for (const kind of ["x", "y"]) {
    await rows.createIndex({ a: 1 }, { name: kind, partialFilterExpression: { kind } });
  }
  const drop = { dropIndexes: rows.collectionName, index: { a: 1 } };
  expect(await code(database.client.db("like").command(drop))).toBe(181);
  await rows.dropIndex("x");
  expect((await rows.indexes()).map(({ name }) => name)).toEqual(["_id_", "y"]);
});

it("a refused insert makes no collection", async () => {
  const rows = rowsWithIds();
  expect(await code(rows.insertOne({ _id: /x/ }))).toBe(53);
  const { collectionName: name } = rows;
  expect(await database.client.db("like").listCollections({ name }).toArray()).toEqual([]);
});

it("findAndModify projects no position", async () => {
  const rows = rowsOf();
  await rows.insertOne({ a: [1, 2] });
  const options = { projection: { "a.$": 1 }, returnDocument: "after" } as const;
  expect(await code(rows.findOneAndUpdate({ a: 2 }, { $set: { b: 1 } }, options))).toBe(238);
});

it.each([
  ["\\Qa.b\\E", ["a.b"]],
  ["\\x{61}\\.", ["a.b"]],
  ["^a\\\\Q", ["a\\Q"]],
])("the regular expression %s means what it means elsewhere", async (pattern, expected) => {
  const rows = rowsOf();
  await rows.insertMany([{ t: "a.b" }, { t: "axb" }, { t: "a\\Q" }]);
  const found = await rows.find({ t: { $regex: pattern } }).toArray();
  expect(found.map(({ t }) => t)).toEqual(expected);
});

it.each(["a\\Rb", "\\Ga", "a\\Kb", "a++", "(?=a)", "\\pL"])(
  "the regular expression %s is refused",
  async (pattern) => {
    expect(
      await code(
        rowsOf()
          .find({ t: { $regex: pattern } })
          .toArray(),
      ),
    ).toBe(51091);
  },
);
