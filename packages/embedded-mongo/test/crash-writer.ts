/** Runs in a process of its own, which a test kills. Tells each write that was acknowledged. */
import { MongoClient } from "mongodb";
import { startEmbeddedMongo } from "../src/index.ts";

const [dataDir = "", round = "0"] = process.argv.slice(2);
const server = await startEmbeddedMongo({ dataDir });
const client = new MongoClient(server.uri);
await client.connect();
const rows = client.db("crash").collection<{ _id: string; n: number; tags: number[] }>("rows");
await rows.createIndexes([
  { key: { n: 1 }, unique: true },
  { key: { tags: 1 } },
  { key: { state: 1, n: -1 }, partialFilterExpression: { state: "open" } },
]);

let next = Number(round) * 1_000_000;

async function write(writer: number): Promise<never> {
  for (;;) {
    const n = next;
    next += 1;
    const _id = `${round}-${writer}-${n}`;
    await rows.insertOne({ _id, n, tags: [n % 7, n % 11] });
    process.stdout.write(`i ${_id}\n`);
    if (n % 3 === 0) {
      await rows.updateOne({ _id }, { $set: { state: n % 2 === 0 ? "open" : "done", tags: [n] } });
      process.stdout.write(`u ${_id}\n`);
    }
    if (n % 5 === 0) {
      await rows.deleteOne({ _id });
      process.stdout.write(`d ${_id}\n`);
    }
  }
}

process.stdout.write("ready\n");
await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
