import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { MongoClient } from "mongodb";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedMongo } from "../src/index.ts";
import { temporaryFolder } from "./start-database.ts";

const ROUNDS = 20;
/** Inside of the workspace, so that the bundles find lmdb. */
const BUNDLES = fileURLToPath(new URL("../dist/durability-test", import.meta.url));

type Told = Map<string, "i" | "u" | "d">;

/** The writer and, beside it, the worker: as the server ships, and started in a third of the time. */
async function bundle(): Promise<void> {
  for (const [name, source] of [
    ["crash-writer.mjs", "./crash-writer.ts"],
    ["embedded-mongo-worker.mjs", "../src/worker.ts"],
  ] as const) {
    const bundle = await rolldown({
      input: fileURLToPath(new URL(source, import.meta.url)),
      platform: "node",
      external: ["lmdb"],
      logLevel: "silent",
    });
    await bundle.write({ file: join(BUNDLES, name), format: "esm", codeSplitting: false });
    await bundle.close();
  }
}

/** Lets writers write, and kills their process at a moment nobody chose with care. */
async function writeAndKill(dataDir: string, round: number, told: Told): Promise<void> {
  const writer = join(BUNDLES, "crash-writer.mjs");
  const child = spawn(process.execPath, [writer, dataDir, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const enough = 20 + ((round * 37) % 150);
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, id] = line.split(" ");
    if (id === undefined) continue;
    if (what === "i" || what === "u" || what === "d") told.set(id, what);
    acknowledged += 1;
    if (acknowledged === enough) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => child.once("exit", resolve));
  }
}

describe("a store whose process was killed", () => {
  const folder = temporaryFolder();
  beforeAll(bundle);
  afterAll(() => {
    folder.remove();
    rmSync(BUNDLES, { recursive: true, force: true });
  });

  it(`has every acknowledged write and consistent indexes, ${ROUNDS} times over`, async () => {
    const told: Told = new Map();
    for (let round = 0; round < ROUNDS; round += 1) {
      await writeAndKill(folder.path, round, told);
    }
    const server = await startEmbeddedMongo({ dataDir: folder.path });
    const client = new MongoClient(server.uri);
    try {
      const rows = client.db("crash").collection<{ _id: string; state?: string }>("rows");
      const found = new Map((await rows.find().toArray()).map((row) => [row._id, row]));
      expect(told.size).toBeGreaterThan(ROUNDS * 5);
      const lost = [...told].filter(([id, what]) => {
        const row = found.get(id);
        if (what === "d") return row !== undefined;
        // A delete that was not acknowledged may have happened all the same.
        if (row === undefined) return Number(id.split("-")[2]) % 5 !== 0;
        return what === "u" && row.state === undefined;
      });
      expect(lost).toEqual([]);
      const report = await client.db("crash").command({ validate: "rows" });
      expect(report).toMatchObject({ valid: true, errors: [], nrecords: found.size });
    } finally {
      await client.close();
      await server.stop();
    }
  });
});
