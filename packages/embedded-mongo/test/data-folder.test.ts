import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { open } from "lmdb";
import { Binary, type Document, MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/commands/commands.ts";
import { startEmbeddedMongo } from "../src/index.ts";
import { type Bundles, bundle } from "./bundle.ts";
import { addressOf, bodySection, opMsg, RawConnection } from "./raw-connection.ts";
import { temporaryFolder } from "./start-database.ts";

let bundles: Bundles;
beforeAll(async () => {
  bundles = await bundle("data-folder", { main: new URL("../src/main.ts", import.meta.url) });
});
afterAll(() => bundles.remove());

interface Run {
  /** The first line, or undefined if the process ended without one. */
  uri: string | undefined;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<{ code: number | null; stderr: string }>;
}

async function run(...args: string[]): Promise<Run> {
  const child = spawn(process.execPath, [bundles.path("main"), ...args]);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, stderr }));
  });
  const uri = await new Promise<string | undefined>((resolve) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.on("close", () => resolve(undefined));
  });
  return { uri, kill: (signal) => void child.kill(signal), ended };
}

describe("the data folder", () => {
  const folders: ReturnType<typeof temporaryFolder>[] = [];
  function folder(): string {
    const made = temporaryFolder();
    folders.push(made);
    return made.path;
  }
  afterEach(() => {
    for (const made of folders.splice(0)) {
      made.remove();
    }
  });

  it("belongs to one process, and a second is told so in one sentence", async () => {
    const data = folder();
    const first = await run("--port", "0", "--data", data);
    expect(first.uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\//);
    const second = await run("--port", "0", "--data", data);
    const { code, stderr } = await second.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The data folder .* is in use by process \d+: .*\n$/);
    await expect(startEmbeddedMongo({ dataDir: data })).rejects.toThrow(/in use by process/);
    first.kill("SIGTERM");
    expect(await first.ended).toEqual({ code: 0, stderr: "" });
    const third = await startEmbeddedMongo({ dataDir: data });
    await third.stop();
  });

  it("is not blocked by a lock that kill -9 left", async () => {
    const data = folder();
    const killed = await run("--port", "0", "--data", data);
    killed.kill("SIGKILL");
    await killed.ended;
    const server = await startEmbeddedMongo({ dataDir: data });
    expect(server.uri).toContain("mongo.sock");
    await server.stop();
  });

  it("can't be opened twice in one process, and again after a stop", async () => {
    const data = folder();
    const server = await startEmbeddedMongo({ dataDir: data });
    await expect(startEmbeddedMongo({ dataDir: data })).rejects.toThrow(/in use by this process/);
    await server.stop();
    const again = await startEmbeddedMongo({ dataDir: data });
    await again.stop();
  });

  it("keeps documents, indexes and what these learned over a restart", async () => {
    const data = folder();
    const first = await startEmbeddedMongo({ dataDir: data });
    const client = new MongoClient(first.uri);
    const rows = client.db("kept").collection<{ _id: number; tags: number[] }>("rows");
    await rows.createIndex({ tags: 1 }, { unique: true });
    await rows.insertMany([
      { _id: 2, tags: [1, 20] },
      { _id: 1, tags: [3] },
    ]);
    await client.close();
    await first.stop();

    const second = await startEmbeddedMongo({ dataDir: data });
    const again = new MongoClient(second.uri);
    const kept = again.db("kept").collection<{ _id: number; tags: number[] }>("rows");
    expect((await kept.find().toArray()).map(({ _id }) => _id)).toEqual([2, 1]);
    expect(await kept.find({ tags: { $gt: 5, $lt: 15 } }).toArray()).toHaveLength(1);
    await expect(kept.insertOne({ _id: 3, tags: [20] })).rejects.toMatchObject({ code: 11000 });
    await again.close();
    await second.stop();
  });

  it("is refused if a later version wrote it", async () => {
    const data = folder();
    const server = await startEmbeddedMongo({ dataDir: data });
    await server.stop();
    const store = open({ path: join(data, "data.mdb"), overlappingSync: false });
    const meta = store.openDB<Buffer, Buffer>({
      name: "meta",
      keyEncoding: "binary",
      encoding: "binary",
    });
    await meta.put(Buffer.from("format"), Buffer.from([99]));
    await store.close();
    await expect(startEmbeddedMongo({ dataDir: data })).rejects.toThrow(/format 99/);
  });

  it("is reached over a socket that only its user can reach, gone after a stop", async () => {
    const server = await startEmbeddedMongo({ dataDir: folder() });
    const { host: socket } = addressOf(server.uri);
    expect(socket.length).toBeLessThan(104);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    await server.stop();
    expect(existsSync(dirname(socket))).toBe(false);
  });

  it("gives nothing to whoever knows its socket but not its secret", async () => {
    const server = await startEmbeddedMongo({ dataDir: folder() });
    const uri = server.uri.replace(/\/\/.+@/, "//").replace(/&auth.*$/, "");
    const stranger = new RawConnection(uri);
    const say = (body: Document): Promise<Document> => {
      stranger.socket.write(opMsg(0, bodySection({ ...body, $db: "gadget" })));
      return stranger.reply();
    };
    expect(await say({ hello: 1 })).toMatchObject({ ok: 1 });
    for (const name of [...commands.keys(), "noSuchCommand"]) {
      if (["hello", "isMaster", "ismaster"].includes(name)) {
        continue;
      }
      const reply = await say({ [name]: "users", filter: {} });
      expect(reply, name).toMatchObject({ ok: 0, code: 13 });
    }
    for (const given of ["", "\0gadget\0", "\0gadget\0guess", `\0other\0${server.uri}`]) {
      const payload = new Binary(Buffer.from(given));
      const reply = await say({ saslStart: 1, mechanism: "PLAIN", payload });
      expect(reply).toMatchObject({ ok: 0, code: 18 });
    }
    expect(await say({ find: "users" })).toMatchObject({ ok: 0, code: 13 });
    stranger.close();
    const guess = new MongoClient(server.uri.replace(/:[^:@]+@/, ":guess@"));
    await expect(guess.db("gadget").command({ ping: 1 })).rejects.toMatchObject({ code: 18 });
    await guess.close();
    const client = new MongoClient(server.uri);
    expect(await client.db("gadget").command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
    await server.stop();
  });

  it("stops when its signal is aborted, and does not start after", async () => {
    const data = folder();
    const controller = new AbortController();
    const server = await startEmbeddedMongo({ dataDir: data, signal: controller.signal });
    controller.abort();
    await expect.poll(() => readFileSync(join(data, "owner.mdb")).length).toBeGreaterThan(0);
    await server.stop();
    await expect(startEmbeddedMongo({ dataDir: data, signal: controller.signal })).rejects.toThrow(
      /abort/i,
    );
    const again = await startEmbeddedMongo({ dataDir: data });
    await again.stop();
  });

  it.each([
    [["--data", "x"], "--port"],
    [["--port", "1"], "--data"],
    [["--port", "many", "--data", "x"], "--port"],
    [["--port", "0", "--data", "x", "--ttl-interval", "no"], "--ttl-interval"],
    [["--nonsense"], "nonsense"],
  ])("says what is wrong with %j and exits with 1", async (args, named) => {
    const { code, stderr } = await (await run(...args)).ended;
    expect(code).toBe(1);
    expect(stderr).toContain(named);
    expect(stderr).not.toContain("    at ");
  });
});
