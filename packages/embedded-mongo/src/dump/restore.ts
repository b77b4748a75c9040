import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { BSON, type Document, type MongoClient } from "mongodb";
import {
  type CollectionFiles,
  collectionFiles,
  collectionOf,
  databaseFolder,
} from "./collection-files.ts";

const batchDocuments = 1_000;
const batchBytes = 8 * 1024 * 1024;
const progressEvery = 50_000;

interface Target {
  db: string;
  collection: string;
  files: CollectionFiles;
}

/** Reads a dump into a database. Refuses to mix it into collections that hold documents. */
export async function restore(
  client: MongoClient,
  root: string,
  { drop }: { drop: boolean },
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const targets = await targetsIn(root);
  if (!drop) {
    await refuseNonEmpty(client, targets);
  }
  for (const target of targets) {
    await restoreCollection(client, target, drop, progress, signal);
  }
}

async function targetsIn(root: string): Promise<Target[]> {
  const targets: Target[] = [];
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!entry.isDirectory()) {
      continue;
    }
    const db = decodeURIComponent(entry.name);
    const folder = databaseFolder(root, db);
    for (const file of (await readdir(folder)).sort()) {
      const collection = collectionOf(file);
      if (collection === undefined) {
        continue;
      }
      targets.push({ db, collection, files: collectionFiles(folder, collection) });
    }
  }
  if (targets.length === 0) {
    throw new Error(`There is no dump in ${root}.`);
  }
  return targets;
}

async function refuseNonEmpty(client: MongoClient, targets: readonly Target[]): Promise<void> {
  for (const { db, collection } of targets) {
    if ((await client.db(db).collection(collection).findOne({})) === null) {
      continue;
    }
    throw new Error(
      `${db}.${collection} holds documents already: give --drop to replace what the dump has, or another database.`,
    );
  }
}

async function restoreCollection(
  client: MongoClient,
  { db, collection, files }: Target,
  drop: boolean,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const database = client.db(db);
  if (drop) {
    await database.dropCollection(collection);
  }
  const exists = await database.listCollections({ name: collection }).hasNext();
  if (!exists) {
    await database.createCollection(collection);
  }
  const target = database.collection(collection);
  let batch: Document[] = [];
  let bytes = 0;
  let count = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) {
      return;
    }
    await target.insertMany(batch, { ordered: true });
    count += batch.length;
    if (Math.floor(count / progressEvery) > Math.floor((count - batch.length) / progressEvery)) {
      progress(`${db}.${collection}: ${count} documents ...`);
    }
    batch = [];
    bytes = 0;
  };
  for await (const line of createInterface({ input: createReadStream(files.documents) })) {
    signal.throwIfAborted();
    if (line === "") {
      continue;
    }
    batch.push(BSON.EJSON.parse(line, { relaxed: false }));
    bytes += line.length;
    if (batch.length >= batchDocuments || bytes >= batchBytes) {
      await flush();
    }
  }
  await flush();
  const indexes = await createIndexes(client, { db, collection, files });
  progress(`${db}.${collection}: ${count} documents, ${indexes} indexes`);
}

async function createIndexes(
  client: MongoClient,
  { db, collection, files }: Target,
): Promise<number> {
  const specs: Document[] = BSON.EJSON.parse(await readFile(files.indexes, "utf8"), {
    relaxed: false,
  });
  const own = specs.filter(({ name }) => name !== "_id_");
  if (own.length > 0) {
    await client.db(db).command({ createIndexes: collection, indexes: own });
  }
  return specs.length;
}
