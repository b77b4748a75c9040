import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedMongo } from "../src/index.ts";
import { checkFile } from "../src/storage/check-file.ts";
import { type Bundles, bundle } from "./bundle.ts";
import { temporaryFolder } from "./start-database.ts";

const DOCUMENTS = 1_000;

let bundles: Bundles;
const folder = temporaryFolder();
const whole = join(folder.path, "whole");
let copies = 0;

beforeAll(async () => {
  bundles = await bundle("damaged-store", { main: new URL("../src/main.ts", import.meta.url) });
  const server = await startEmbeddedMongo({ dataDir: whole });
  const client = new MongoClient(server.uri);
  const rows = client.db("kept").collection<{ _id: number; n: number; pad: string }>("rows");
  await rows.createIndex({ n: 1 });
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
    _id: i,
    n: i % 7,
    pad: "x".repeat(i % 50 === 0 ? 20_000 : 500),
  }));
  await rows.insertMany(documents);
  await rows.deleteMany({ n: 3 });
  await client.close();
  await server.stop();
});
afterAll(() => {
  bundles.remove();
  folder.remove();
});

/** A copy of the data folder with a damaged file. */
function damaged(harm: (file: string) => void): string {
  copies += 1;
  const copy = join(folder.path, `copy-${copies}`);
  cpSync(whole, copy, { recursive: true });
  harm(join(copy, "data.mdb"));
  return copy;
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  writeSync(openSync(file, "r+"), bytes, 0, bytes.length, at);
}

async function start(data: string): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [bundles.path("main"), "--port", "0", "--data", data]);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout.once("data", () => child.kill("SIGTERM"));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, stderr }));
  });
}

function complaint(file: string): string {
  try {
    checkFile(file);
    return "";
  } catch (error) {
    return String(error);
  }
}

const pageBytes = (): number => readFileSync(join(whole, "data.mdb")).readUInt32LE(48);

describe("a damaged store", () => {
  it("is not what an undamaged one is taken for", () => {
    expect(complaint(join(whole, "data.mdb"))).toBe("");
    expect(complaint(join(whole, "absent.mdb"))).toBe("");
  });

  it.each<[string, (file: string) => void]>([
    ["its head zeroed", (file) => overwrite(file, 0, Buffer.alloc(2 * pageBytes()))],
    ["its head garbage", (file) => overwrite(file, 0, Buffer.alloc(2 * pageBytes(), 0xa7))],
    ["a text for a file", (file) => writeFileSync(file, "not a database\n".repeat(2_000))],
    ["half of it missing", (file) => truncateSync(file, statSync(file).size / 2)],
    ["nothing in it", (file) => truncateSync(file, 0)],
  ])("with %s is told in one sentence with the path, and exit code 1", async (_, harm) => {
    const data = damaged(harm);
    const { code, stderr } = await start(data);
    expect(stderr).toMatch(/^The database file \S+data\.mdb is damaged \(.+\): put a copy .+\n$/);
    expect(stderr).toContain(data);
    expect(code).toBe(1);
  });

  it("is found by any page that lmdb would have stopped at", () => {
    const size = statSync(join(whole, "data.mdb")).size;
    const bytes = pageBytes();
    let found = 0;
    for (let page = 2; page < size / bytes; page += 1) {
      const data = damaged((file) => overwrite(file, page * bytes, Buffer.alloc(bytes)));
      if (complaint(join(data, "data.mdb")).includes("is damaged (")) {
        found += 1;
      }
    }
    // The others are free, or hold the rest of a large document.
    expect(found).toBeGreaterThan(DOCUMENTS / 20);
  });
});

describe("a data folder that can't be used", () => {
  it.each([
    ["/etc/passwd", /^\/etc\/passwd is a file or lies in one: give a folder for the data\.\n$/],
    ["/etc/passwd/data", /is a file or lies in one/],
    ["/sys/nothing", /^The data folder \/sys\/nothing can't be made: .+\n$/],
  ])("is named in one sentence: %s", async (data, sentence) => {
    const { code, stderr } = await start(data);
    expect(stderr).toMatch(sentence);
    expect(code).toBe(1);
  });

  it("is named when one of its files can't be opened", async () => {
    const data = join(folder.path, "blocked");
    mkdirSync(join(data, "owner.mdb"), { recursive: true });
    const { code, stderr } = await start(data);
    expect(stderr).toMatch(/^The database in \S+blocked could not be read or written: .+\n$/);
    expect(code).toBe(1);
  });
});
