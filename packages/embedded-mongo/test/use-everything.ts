import { MongoClient } from "mongodb";
import { startEmbeddedMongo } from "../src/index.ts";

/** Reads all of a data folder in more than one way, and writes over much of it. Says what it saw. */
async function main(dataDir: string): Promise<void> {
  const server = await startEmbeddedMongo({ dataDir });
  const client = new MongoClient(server.uri);
  const rows = client.db("kept").collection<{ _id: number; n: number; pad: string }>("rows");
  const all = await rows.find({}).toArray();
  const byIndex = await rows.find({ n: { $gte: 0 } }).toArray();
  const before = await client.db("kept").command({ validate: "rows" });
  await rows.updateMany({}, { $set: { more: "z".repeat(1_500) } });
  await rows.deleteMany({ n: { $lt: 3 } });
  await rows.insertMany(
    Array.from({ length: 100 }, (_, i) => ({ _id: 1e6 + i, n: i, pad: "q".repeat(3_000) })),
  );
  const after = await client.db("kept").command({ validate: "rows" });
  await client.close();
  await server.stop();
  const padding = all.reduce((sum, { pad }) => sum + pad.length, 0);
  const seen = [all.length, byIndex.length, padding, before["valid"], after["valid"]];
  process.stdout.write(`${seen.join(" ")}\n`);
}

main(process.argv[2] ?? "").catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
