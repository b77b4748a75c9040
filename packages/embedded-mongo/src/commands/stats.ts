import { docOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import type { CollectionIndex } from "../storage/collection-index.ts";
import { idPrefix, prefixRange, type Range } from "../storage/record-key.ts";
import { scan } from "../storage/scan.ts";
import { verify } from "../storage/verify.ts";
import type { Command, CommandContext } from "./command.ts";

/** The bytes of all entries of a range. They have to be walked: nothing else keeps their sum. */
async function bytesIn(
  context: CommandContext,
  table: "docs" | "entries",
  range: Range,
): Promise<number> {
  const slice = context.slice();
  const { store } = context.engine;
  let bytes = 0;
  for (const { key, value } of scan(() => store[table], range, false)) {
    bytes += value.length + (table === "entries" ? key.length : 0);
    store.noteRead(value.length);
    const pause = slice.pause();
    if (pause !== undefined) {
      await pause;
    }
  }
  return bytes;
}

async function indexBytes(
  context: CommandContext,
  indexes: readonly CollectionIndex[],
): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  for (const { name, state } of indexes) {
    sizes[name] = await bytesIn(context, "entries", prefixRange(idPrefix(state.id)));
  }
  return sizes;
}

function sum(sizes: Record<string, number>): number {
  return Object.values(sizes).reduce((total, size) => total + size, 0);
}

export const collStats: Command = {
  fields: ["scale"],
  run: async (context) => {
    const { engine, db, collectionName, namespace, args } = context;
    const collection = engine.catalog.find(db, collectionName);
    const scale = args.optionalInteger("scale") ?? 1;
    const count = collection?.count() ?? 0;
    const size = collection === undefined ? 0 : await bytesIn(context, "docs", collection.range);
    const indexSizes = await indexBytes(context, collection?.indexes ?? []);
    return docOf({
      ns: namespace,
      size: Math.floor(size / scale),
      count,
      avgObjSize: count === 0 ? undefined : Math.floor(size / count),
      storageSize: Math.floor(size / scale),
      totalIndexSize: Math.floor(sum(indexSizes) / scale),
      indexSizes,
      nindexes: Object.keys(indexSizes).length,
      capped: false,
      scaleFactor: scale,
    });
  },
};

export const dbStats: Command = {
  fields: ["scale", "freeStorage"],
  run: async (context) => {
    const { engine, db, args } = context;
    const scale = args.optionalInteger("scale") ?? 1;
    const collections = engine.catalog.collections(db);
    let objects = 0;
    let bytes = 0;
    let indexSize = 0;
    for (const collection of collections) {
      objects += collection.count();
      bytes += await bytesIn(context, "docs", collection.range);
      indexSize += sum(await indexBytes(context, collection.indexes));
    }
    return docOf({
      db,
      collections: collections.length,
      views: 0,
      objects,
      avgObjSize: objects === 0 ? 0 : bytes / objects,
      dataSize: Math.floor(bytes / scale),
      storageSize: Math.floor(bytes / scale),
      indexes: collections.reduce((n, { indexes }) => n + indexes.length, 0),
      indexSize: Math.floor(indexSize / scale),
      totalSize: Math.floor((bytes + indexSize) / scale),
      scaleFactor: scale,
    });
  },
};

export const validate: Command = {
  fields: ["full", "repair", "metadata", "checkBSONConformance"],
  run: async (context) => {
    const { engine, db, collectionName, namespace, args } = context;
    args.refuse("repair", "this option is not supported");
    const collection = engine.catalog.find(db, collectionName);
    if (collection === undefined) {
      throw new CommandError(
        "NamespaceNotFound",
        `Collection '${namespace}' does not exist to validate.`,
      );
    }
    const slice = context.slice();
    const { records, keysPerIndex, errors } = await verify(engine.store, collection, () =>
      slice.pause(),
    );
    return docOf({
      ns: namespace,
      nrecords: records,
      nIndexes: collection.indexes.length,
      keysPerIndex,
      valid: errors.length === 0,
      errors,
      warnings: [],
    });
  },
};
