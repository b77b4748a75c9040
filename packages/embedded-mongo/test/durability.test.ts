import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedMongo } from "../src/index.ts";
import { type Bundles, bundle } from "./bundle.ts";
import { temporaryFolder } from "./start-database.ts";

const rounds = 20;

type Told = Map<string, "i" | "u" | "d">;

/** Lets writers write, and kills their process at a moment nobody chose with care. */
async function writeAndKill(
  writer: string,
  dataDir: string,
  round: number,
  told: Told,
): Promise<void> {
  const child = spawn(process.execPath, [writer, dataDir, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const enough = 20 + ((round * 37) % 150);
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, id] = line.split(" ");
    if (id === undefined) {
      continue;
    }
    if (what === "i" || what === "u" || what === "d") {
      told.set(id, what);
    }
    acknowledged += 1;
    if (acknowledged === enough) {
      child.kill("SIGKILL");
    }
  }
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => child.once("exit", resolve));
  }
}

describe("a store whose process was killed", () => {
  const folder = temporaryFolder();
  let bundles: Bundles;
  beforeAll(async () => {
    bundles = await bundle("durability", {
      writer: new URL("./crash-writer.ts", import.meta.url),
      main: new URL("../src/main.ts", import.meta.url),
    });
  });
  afterAll(() => {
    folder.remove();
    bundles.remove();
  });

  it(`has every acknowledged write and consistent indexes, ${rounds} times over`, async () => {
    const told: Told = new Map();
    for (let round = 0; round < rounds; round += 1) {
      await writeAndKill(bundles.path("writer"), folder.path, round, told);
    }
    const server = await startEmbeddedMongo({ dataDir: folder.path });
    const client = new MongoClient(server.uri);
    try {
      const rows = client.db("crash").collection<{ _id: string; state?: string }>("rows");
      const found = new Map((await rows.find().toArray()).map((row) => [row._id, row]));
      expect(told.size).toBeGreaterThan(rounds * 5);
      const lost = [...told].filter(([id, what]) => {
        const row = found.get(id);
        if (what === "d") {
          return row !== undefined;
        }
        // A delete that was not acknowledged may have happened all the same.
        if (row === undefined) {
          return Number(id.split("-")[2]) % 5 !== 0;
        }
        return what === "u" && row.state === undefined;
      });
      expect(lost).toEqual([]);
      const report = await client.db("crash").command({ validate: "rows" });
      expect(report).toMatchObject({ valid: true, errors: [], nrecords: found.size });
    } finally {
      await client.close();
      await server.stop();
    }
  }, 180_000);

  it("refuses writes while its disk is full, keeps what it has, and goes on reading", async () => {
    const data = temporaryFolder();
    // A limit on the size of files stands for a full disk; ignored, its signal becomes an error.
    const limited = `trap '' XFSZ; ulimit -f 2000; exec "$0" "$1" --port 0 --data "$2"`;
    const child = spawn(
      "bash",
      ["-c", limited, process.execPath, bundles.path("main"), data.path],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    const uri = await new Promise<string>((resolve) => {
      createInterface({ input: child.stdout }).once("line", resolve);
    });
    const client = new MongoClient(uri);
    try {
      const rows = client.db("full").collection<{ _id: number; pad: string }>("rows");
      const insert = (_id: number) => rows.insertOne({ _id, pad: "x".repeat(20_000) });
      let next = 0;
      const stored = new Set<number>();
      const failures = await Promise.all(
        Array.from({ length: 32 }, async () => {
          for (;;) {
            const id = next;
            next += 1;
            try {
              await insert(id);
              stored.add(id);
            } catch (error) {
              return error;
            }
          }
        }),
      );
      for (const failure of failures) {
        expect(failure).toMatchObject({
          code: 14031,
          message: expect.stringMatching(/could not be stored: the disk of .* is full/),
        });
      }
      // One alone may still find the room that many together did not.
      const last = await (async () => {
        for (; ; next += 1) {
          try {
            await insert(next);
            stored.add(next);
          } catch (error) {
            return error;
          }
        }
      })();
      expect(last).toMatchObject({ message: expect.stringContaining("could not be stored") });
      await expect(
        client
          .db("full")
          .collection("other")
          .insertOne({ pad: "x".repeat(100_000) }),
      ).rejects.toThrow(/stored/);
      const kept = await rows.find({}, { projection: { _id: 1 } }).toArray();
      expect(new Set(kept.map(({ _id }) => _id))).toEqual(stored);
      expect((await client.db("full").listCollections().toArray()).map(({ name }) => name)).toEqual(
        ["rows"],
      );
      expect(await client.db("full").command({ validate: "rows" })).toMatchObject({ valid: true });
      // What was deleted is room again, without another start.
      for (const id of [...stored].slice(0, 20)) {
        await rows.deleteOne({ _id: id });
      }
      await insert(next + 1);
      expect(await rows.countDocuments({})).toBe(stored.size - 19);
    } finally {
      await client.close();
      child.kill("SIGTERM");
      await new Promise((resolve) => child.once("exit", resolve));
      data.remove();
    }
  });
});
