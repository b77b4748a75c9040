import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { BSON, type MongoClient } from "mongodb";
import { collectionFiles, databaseFolder } from "./collection-files.ts";

const internalDatabases = ["admin", "local", "config"];
const progressEvery = 50_000;

/** Every BSON type keeps its own class, so that an int stays an int in the file. */
const exactTypes = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
};

/** Writes every collection as lines of extended JSON, with its indexes beside it. */
export async function dump(
  client: MongoClient,
  root: string,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(root, { recursive: true });
  if ((await readdir(root)).length > 0) {
    throw new Error(
      `The folder ${root} is not empty: give a new one, so that no older dump is mixed in.`,
    );
  }
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
  for (const { name } of databases) {
    if (internalDatabases.includes(name)) {
      continue;
    }
    const folder = databaseFolder(root, name);
    await mkdir(folder, { recursive: true });
    const collections = await client.db(name).listCollections({}, { nameOnly: true }).toArray();
    for (const { name: collection, type } of collections) {
      if (type === "view" || collection.startsWith("system.")) {
        progress(
          `${name}.${collection}: skipped, it is ${type === "view" ? "a view" : "internal"}`,
        );
        continue;
      }
      await dumpCollection(client, { db: name, collection, folder }, progress, signal);
    }
  }
}

async function dumpCollection(
  client: MongoClient,
  { db, collection, folder }: { db: string; collection: string; folder: string },
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const files = collectionFiles(folder, collection);
  const source = client.db(db).collection(collection);
  const indexes = await source.listIndexes(exactTypes).toArray();
  await writeFile(files.indexes, `${BSON.EJSON.stringify(indexes, { relaxed: false })}\n`);
  const out = createWriteStream(files.documents, { mode: 0o600 });
  let count = 0;
  for await (const document of source.find({}, exactTypes)) {
    signal.throwIfAborted();
    const line = `${BSON.EJSON.stringify(document, { relaxed: false })}\n`;
    if (!out.write(line)) {
      await once(out, "drain");
    }
    count += 1;
    if (count % progressEvery === 0) {
      progress(`${db}.${collection}: ${count} documents ...`);
    }
  }
  out.end();
  await finished(out);
  progress(`${db}.${collection}: ${count} documents, ${indexes.length} indexes`);
}
