import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Decimal128, Double, Int32, Long, MongoClient, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedMongo } from "../src/index.ts";
import { type Bundles, bundle } from "./bundle.ts";
import { startDatabase, type TestDatabase, temporaryFolder } from "./start-database.ts";

let bundles: Bundles;

async function db(...args: string[]): Promise<{ code: number; stderr: string }> {
  try {
    const { stderr } = await promisify(execFile)(process.execPath, [bundles.path("db"), ...args]);
    return { code: 0, stderr };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, stderr };
  }
}

const sent = {
  _id: new ObjectId(),
  double: new Double(2),
  int: new Int32(2),
  long: Long.fromString("9007199254740993"),
  decimal: Decimal128.fromString("1.10"),
  date: new Date(1),
  bytes: Buffer.from("x"),
  regex: /a/i,
  none: null,
};
const exactTypes = { promoteValues: false, promoteLongs: false };

describe("db dump and restore", () => {
  let database: TestDatabase;
  const folder = temporaryFolder();
  const out = join(folder.path, "dump");
  beforeAll(async () => {
    bundles = await bundle("dump-restore", { db: new URL("../src/db.ts", import.meta.url) });
    database = await startDatabase({ port: 0 });
    const rows = database.client.db("one").collection("rows");
    await rows.insertOne(sent);
    await rows.createIndex(
      { int: 1 },
      { unique: true, partialFilterExpression: { int: { $gt: 1 } } },
    );
    await rows.createIndex({ date: 1 }, { expireAfterSeconds: 3_000_000_0 });
    await database.client
      .db("two")
      .collection("with/slash and ü")
      .insertMany([{ a: 1 }, { a: 2 }]);
    await database.client.db("two").createCollection("empty");
  });
  afterAll(async () => {
    await database.stop();
    folder.remove();
    bundles.remove();
  });

  it("writes each collection as lines of extended JSON, by URI", async () => {
    const { code, stderr } = await db("dump", "--out", out, "--uri", database.uri);
    expect(stderr).toContain("one.rows: 1 documents, 3 indexes");
    expect(code).toBe(0);
    const [line] = readFileSync(join(out, "one", "rows.jsonl"), "utf8").split("\n");
    expect(JSON.parse(line ?? "")).toMatchObject({
      double: { $numberDouble: "2.0" },
      int: { $numberInt: "2" },
      long: { $numberLong: "9007199254740993" },
    });
    const again = await db("dump", "--out", out, "--uri", database.uri);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toMatch(/not empty/);
  });

  it("restores into a stopped data folder with types and indexes, and not over documents", async () => {
    const data = join(folder.path, "data");
    const into = await db("restore", "--from", out, "--data", data);
    expect(into).toMatchObject({ code: 0 });
    const refused = await db("restore", "--from", out, "--data", data);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/holds documents already: give --drop/);
    expect(await db("restore", "--from", out, "--data", data, "--drop")).toMatchObject({ code: 0 });

    const server = await startEmbeddedMongo({ dataDir: data });
    const client = new MongoClient(server.uri);
    try {
      const source = database.client.db("one").collection("rows");
      const restored = client.db("one").collection("rows");
      expect(await restored.find({}, exactTypes).toArray()).toEqual(
        await source.find({}, exactTypes).toArray(),
      );
      expect(await restored.indexes()).toEqual(await source.indexes());
      expect(await client.db("two").collection("with/slash and ü").countDocuments({})).toBe(2);
      expect(await client.db("two").listCollections({ name: "empty" }).hasNext()).toBe(true);
    } finally {
      await client.close();
      await server.stop();
    }
  });

  it("says what to do when it is called wrongly", async () => {
    expect((await db("dump")).stderr).toContain("Usage");
    expect(
      (await db("dump", "--out", join(folder.path, "x"), "--data", folder.path)).stderr,
    ).toMatch(/There is no database in/);
  });
});
