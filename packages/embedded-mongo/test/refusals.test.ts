import { MongoServerError } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDatabase, type TestDatabase } from "./start-database.ts";

describe("what is not supported is refused by name, never ignored", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await startDatabase();
    await database.client.db("no").collection("rows").insertOne({ a: 1 });
  });
  afterAll(async () => {
    await database.stop();
  });

  async function refusal(action: Promise<unknown>): Promise<{ code: unknown; message: string }> {
    const error = await action.then(
      (value) => new Error(`not refused: ${JSON.stringify(value)}`),
      (reason: unknown) => reason,
    );
    if (!(error instanceof MongoServerError)) {
      throw error;
    }
    return { code: error.code, message: error.message };
  }
  const command = (body: Record<string, unknown>) =>
    refusal(database.client.db("no").command(body));

  it.each([
    [{ fancyCommand: 1 }, 59, "fancyCommand"],
    [{ mapReduce: "rows" }, 59, "mapReduce"],
    [{ find: "rows", fliter: {} }, 40415, "fliter"],
    [{ create: "capped", capped: true, size: 1000 }, 238, "capped"],
    [{ create: "view", viewOn: "rows", pipeline: [] }, 238, "viewOn"],
    [{ create: "checked", validator: { a: 1 } }, 238, "validator"],
    [{ collMod: "rows", validator: {} }, 115, "collMod"],
    [{ find: "rows", filter: { $where: "1" } }, 238, "$where"],
    [{ find: "rows", filter: { a: { $nonsense: 1 } } }, 2, "$nonsense"],
    [{ find: "rows", tailable: true }, 2, "capped"],
    [{ find: "rows", min: { a: 1 } }, 238, "min"],
    [{ find: "rows", limit: "three" }, 14, "limit"],
    [{ find: 5 }, 73, "collection name"],
    [{ find: "rows", readConcern: { level: "snapshot" } }, 123, "snapshot"],
    [{ insert: "rows", documents: [{}], writeConcern: { w: 2 } }, 2, "w"],
    [{ insert: "sys$tem", documents: [{}] }, 73, "sys$tem"],
    [{ insert: "rows", documents: [] }, 16, "batch"],
    [{ insert: "rows" }, 40414, "documents"],
    [{ update: "rows", updates: [{ q: {}, u: { $set: { a: 1 } }, multy: true }] }, 40415, "multy"],
    [{ delete: "rows", deletes: [{ q: {} }] }, 40414, "limit"],
    [{ aggregate: "rows", pipeline: [{ $out: "x" }], cursor: {} }, 115, "$out"],
    [{ aggregate: "rows", pipeline: [{ $merge: { into: "x" } }], cursor: {} }, 115, "$merge"],
    [{ aggregate: 1, pipeline: [], cursor: {} }, 73, "collection name"],
    [{ aggregate: "rows", pipeline: [], cursor: {}, explain: true }, 238, "explain"],
    [{ aggregate: "rows", pipeline: [], cursor: {}, let: { a: 1 } }, 238, "let"],
    [{ find: "rows", let: { a: 1 } }, 238, "let"],
    [{ find: "rows", collation: { locale: "de" } }, 238, "collation"],
    [{ count: "rows", collation: { locale: "de" } }, 238, "collation"],
    [{ distinct: "rows", key: "a", collation: { locale: "de" } }, 238, "collation"],
    [{ findAndModify: "rows", remove: true, collation: { locale: "de" } }, 238, "collation"],
    [{ findAndModify: "rows", update: {}, arrayFilters: [{ a: 1 }] }, 238, "arrayFilters"],
    [{ update: "rows", updates: [{ q: {}, u: {} }], let: { a: 1 } }, 238, "let"],
    [{ delete: "rows", deletes: [{ q: {}, limit: 1 }], let: { a: 1 } }, 238, "let"],
    [{ explain: { count: "rows" }, verbosity: "queryPlanner" }, 238, "count"],
    [{ explain: { find: "rows" }, verbosity: "executionStats" }, 238, "queryPlanner"],
    [{ renameCollection: "no.rows", to: "no.other" }, 115, "renameCollection"],
    [{ collStats: "rows" }, 115, "collStats"],
    [{ dbStats: 1 }, 115, "dbStats"],
    [{ hostInfo: 1 }, 115, "hostInfo"],
    [{ getLog: "global" }, 115, "getLog"],
    [{ getParameter: "*" }, 115, "getParameter"],
    [{ getCmdLineOpts: 1 }, 115, "getCmdLineOpts"],
    [{ connectionStatus: 1 }, 115, "connectionStatus"],
    [{ whatsmyuri: 1 }, 115, "whatsmyuri"],
    [{ startSession: 1 }, 115, "startSession"],
    [{ aggregate: "rows", pipeline: [{ $collStats: {} }], cursor: {} }, 115, "$collStats"],
    [{ aggregate: "rows", pipeline: [{ $nope: 1 }], cursor: {} }, 40324, "$nope"],
    [{ aggregate: "rows", pipeline: [{ $changeStream: {} }], cursor: {} }, 40573, "$changeStream"],
    [{ aggregate: "rows", pipeline: [] }, 9, "cursor"],
    [{ createIndexes: "rows", indexes: [{ key: { a: "text" }, name: "t" }] }, 238, "text"],
    [{ createIndexes: "rows", indexes: [{ key: { "$**": 1 }, name: "w" }] }, 238, "wildcard"],
    [{ createIndexes: "rows", indexes: [{ key: { a: 1 }, name: "x", nope: 1 }] }, 197, "nope"],
    [
      {
        createIndexes: "rows",
        indexes: [{ key: { a: 1 }, name: "c", collation: { locale: "de" } }],
      },
      238,
      "collation",
    ],
  ])("%j", async (body, code, named) => {
    const refused = await command(body).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code });
    expect(JSON.stringify(refused)).toContain(named);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ q: {}, u: [{ $set: { a: 1 } }] }, "pipeline"],
    [{ q: {}, u: { $mul: { a: 2 } } }, "$mul"],
    [{ q: {}, u: { $set: { "a.$[]": 2 } } }, "$[]"],
    [{ q: {}, u: { $set: { a: 2 } }, arrayFilters: [{ a: 1 }] }, "arrayFilters"],
    [{ q: {}, u: { $set: { a: 2 } }, collation: { locale: "de" } }, "collation"],
    [{ q: {}, u: { $set: { a: 2 } }, c: { a: 1 } }, "c"],
    [{ q: { a: { $mod: [2, 0] } }, u: { $set: { a: 2 } } }, "$mod"],
  ])("the update %j", async (statement, named) => {
    const reply = await database.client.db("no").command({ update: "rows", updates: [statement] });
    const errmsg = expect.stringContaining(named);
    expect(reply).toMatchObject({ n: 0, writeErrors: [{ code: 238, errmsg }] });
  });

  it("refuses transactions as a standalone server does", async () => {
    const { code } = await command({
      insert: "rows",
      documents: [{}],
      txnNumber: 1n,
      startTransaction: true,
      autocommit: false,
    });
    expect(code).toBe(20);
    const session = database.client.startSession();
    const rows = database.client.db("no").collection("rows");
    const work = session.withTransaction(() => rows.insertOne({ in: "transaction" }, { session }));
    await expect(work).rejects.toThrow(/not support/);
    await session.endSession();
    expect(await rows.findOne({ in: "transaction" })).toBeNull();
  });

  it("refuses change streams as a standalone server does", async () => {
    const stream = database.client.db("no").collection("rows").watch();
    expect((await refusal(stream.next())).code).toBe(40573);
    await stream.close();
  });

  it("refuses documents past 16 MB, and takes those below", async () => {
    const rows = database.client.db("no").collection<{ _id: number; pad: Buffer }>("large");
    await rows.insertOne({ _id: 1, pad: Buffer.alloc(16 * 1024 * 1024 - 100) });
    const { code } = await refusal(rows.insertOne({ _id: 2, pad: Buffer.alloc(16 * 1024 * 1024) }));
    expect(code).toBe(2);
    const grown = await refusal(rows.updateOne({ _id: 1 }, { $set: { more: "x".repeat(200) } }));
    expect(grown.code).toBe(17419);
    expect(await rows.countDocuments({})).toBe(1);
  });

  it("refuses ids that can't be ids", async () => {
    const rows = database.client.db("no").collection<{ _id: unknown }>("ids");
    expect((await refusal(rows.insertOne({ _id: [1] }))).code).toBe(53);
    expect((await refusal(rows.insertOne({ _id: /x/ }))).code).toBe(53);
  });
});
