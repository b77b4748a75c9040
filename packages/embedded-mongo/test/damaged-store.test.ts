import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedMongo } from "../src/index.ts";
import { checkFile } from "../src/storage/check-file.ts";
import { type Bundles, bundle } from "./bundle.ts";
import { temporaryFolder } from "./start-database.ts";

const documentCount = 1_000;

let bundles: Bundles;
const folder = temporaryFolder();
const whole = join(folder.path, "whole");
let copies = 0;

beforeAll(async () => {
  bundles = await bundle("damaged-store", {
    main: new URL("../src/main.ts", import.meta.url),
    "use-everything": new URL("use-everything.ts", import.meta.url),
  });
  const server = await startEmbeddedMongo({ dataDir: whole });
  const client = new MongoClient(server.uri);
  const rows = client.db("kept").collection<{ _id: number; n: number; pad: string }>("rows");
  await rows.createIndex({ n: 1 });
  const documents = Array.from({ length: documentCount }, (_, i) => ({
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

type Harm = (file: string) => void;

/** A copy of the data folder with a damaged file. */
function damaged(harm: Harm, name = "data.mdb"): string {
  copies += 1;
  const copy = join(folder.path, `copy-${copies}`);
  cpSync(whole, copy, { recursive: true });
  harm(join(copy, name));
  return copy;
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const all = readFileSync(file);
  bytes.copy(all, at);
  writeFileSync(file, all);
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(entry: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [bundles.path(entry), ...args]);
  const said = { stdout: "", stderr: "" };
  child.stderr.on("data", (chunk: Buffer) => {
    said.stderr += chunk.toString();
  });
  child.stdout.on("data", (chunk: Buffer) => {
    said.stdout += chunk.toString();
    if (entry === "main") {
      child.kill("SIGTERM");
    }
  });
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, ...said }));
  });
}

const start = (data: string): Promise<Ended> => run("main", "--port", "0", "--data", data);

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

  it("is told of the file that says who uses the folder, which may be removed", async () => {
    const zeroed: Harm = (file) => overwrite(file, 0, Buffer.alloc(statSync(file).size));
    const data = damaged(zeroed, "owner.mdb");
    const { code, stderr } = await start(data);
    expect(stderr).toMatch(/^The database file \S+owner\.mdb is damaged \(.+\): end .+\n$/);
    expect(code).toBe(1);
    rmSync(join(data, "owner.mdb"));
    expect(await start(data)).toMatchObject({ code: 0, stderr: "" });
  });

  const garbage = (bytes: number, page: number): Buffer =>
    Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 31 + page * 7) % 256));
  it.each<[string, (file: string, page: number, bytes: number) => Buffer]>([
    ["zeroed", (_file, _page, bytes) => Buffer.alloc(bytes)],
    ["garbage", (_file, page, bytes) => garbage(bytes, page)],
    [
      "another page's bytes",
      (file, page, bytes) => readFileSync(file).subarray((page + 1) * bytes, (page + 2) * bytes),
    ],
  ])("is seen by any page that is %s, or nothing is missing", async (_, harmed) => {
    const bytes = pageBytes();
    const pages = statSync(join(whole, "data.mdb")).size / bytes;
    const unseen: number[] = [];
    const one = damaged(() => {});
    const file = join(one, "data.mdb");
    const original = readFileSync(file);
    for (let page = 2; page < pages - 1; page += 1) {
      overwrite(file, page * bytes, harmed(file, page, bytes));
      if (complaint(file) === "") {
        unseen.push(page);
      }
      writeFileSync(file, original);
    }
    expect(pages - unseen.length).toBeGreaterThan(documentCount / 20);
    // They are free, or hold the text of a large document. All of the free ones are harmed at once.
    for (const page of unseen.filter((each) => !isText(original, each))) {
      overwrite(file, page * bytes, harmed(join(whole, "data.mdb"), page, bytes));
    }
    const { code, stdout, stderr } = await run("use-everything", one);
    expect(stderr).toBe("");
    expect(stdout).toBe(
      (
        await run(
          "use-everything",
          damaged(() => {}),
        )
      ).stdout,
    );
    expect(code).toBe(0);
  });

  it("with many pages overwritten says so while it runs too", async () => {
    const bytes = pageBytes();
    const data = damaged((file) => {
      for (let page = 2; page < statSync(file).size / bytes; page += 9) {
        overwrite(file, page * bytes, garbage(bytes, page));
      }
    });
    const { code, stdout, stderr } = await run("use-everything", data);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^The database file \S+data\.mdb is damaged \(.+\): put a copy .+\n$/);
  });
});

/** Whether a page is the inside of the text of a large document. */
function isText(file: Buffer, page: number): boolean {
  const bytes = file.readUInt32LE(48);
  const part = file.subarray(page * bytes, (page + 1) * bytes);
  return part.includes("x".repeat(50));
}

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
    expect(stderr).toMatch(/^\S+owner\.mdb is a folder, where the database has a file: .+\n$/);
    expect(code).toBe(1);
  });

  it("is named when there is a folder in place of its file", async () => {
    const data = join(folder.path, "folder-for-a-file");
    mkdirSync(join(data, "data.mdb"), { recursive: true });
    const { code, stderr } = await start(data);
    expect(stderr).toMatch(/^\S+data\.mdb is a folder, where the database has a file: .+\n$/);
    expect(code).toBe(1);
  });

  it("is named when there is no permission to read its file", async () => {
    const file = join(
      damaged((path) => chmodSync(path, 0)),
      "data.mdb",
    );
    const isRoot = process.geteuid?.() === 0;
    // Nothing is forbidden to root.
    if (isRoot) {
      process.seteuid?.("nobody");
    }
    try {
      expect(complaint(file)).toContain(
        `The database file ${file} can't be read (there is no permission):`,
      );
    } finally {
      if (isRoot) {
        process.seteuid?.(0);
      }
    }
  });
});
