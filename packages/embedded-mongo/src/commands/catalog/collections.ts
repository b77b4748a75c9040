import { Binary } from "bson";
import { docOf } from "../../bson/document.ts";
import type { Doc } from "../../bson/value.ts";
import { compileFilter } from "../../match/compile-filter.ts";
import type { Collection } from "../../storage/collection.ts";
import { type Command, checkDatabaseName, checkWritableName } from "../command.ts";
import { cursorReply } from "../read/cursors.ts";

const unsupportedOptions = [
  "capped",
  "size",
  "max",
  "viewOn",
  "pipeline",
  "validator",
  "validationLevel",
  "validationAction",
  "timeseries",
  "clusteredIndex",
  "expireAfterSeconds",
  "changeStreamPreAndPostImages",
  "encryptedFields",
  "storageEngine",
  "indexOptionDefaults",
];

export const create: Command = {
  fields: [...unsupportedOptions, "collation", "autoIndexId", "flags"],
  run: async ({ engine, db, collectionName, args }) => {
    for (const option of unsupportedOptions) {
      args.refuse(option, "this option is not supported");
    }
    args.refuseCollation();
    checkDatabaseName(db);
    checkWritableName(db, collectionName);
    await engine.write(() => {
      // Options are all refused, so what exists was made with the same ones.
      if (engine.catalog.find(db, collectionName) === undefined) {
        engine.catalog.create(db, collectionName);
      }
    });
    return docOf({});
  },
};

export const drop: Command = {
  fields: [],
  run: async ({ engine, db, collectionName, namespace }) => {
    const indexes = await engine.write(() => {
      const collection = engine.catalog.find(db, collectionName);
      if (collection !== undefined) {
        engine.catalog.drop(collection);
      }
      return collection?.indexes.length;
    });
    if (indexes === undefined) {
      return docOf({});
    }
    engine.cursors.removeOf(namespace);
    engine.purgeDropped();
    return docOf({ nIndexesWas: indexes, ns: namespace });
  },
};

export const dropDatabase: Command = {
  fields: [],
  run: async ({ engine, db }) => {
    const dropped = await engine.write(() => {
      const collections = engine.catalog.collections(db);
      for (const collection of collections) {
        engine.catalog.drop(collection);
      }
      return collections;
    });
    for (const collection of dropped) {
      engine.cursors.removeOf(collection.namespace);
    }
    engine.purgeDropped();
    return dropped.length === 0 ? docOf({}) : docOf({ dropped: db });
  },
};

export const listCollections: Command = {
  fields: ["filter", "nameOnly", "authorizedCollections", "cursor"],
  run: (context) => {
    const { engine, db, args } = context;
    const filter = compileFilter(args.optionalObject("filter") ?? new Map());
    const nameOnly = args.boolean("nameOnly");
    const documents = engine.catalog
      .collections(db)
      .map(describeCollection)
      .filter((doc) => filter.matches(doc))
      .map((doc) => (nameOnly ? docOf({ name: doc.get("name"), type: "collection" }) : doc));
    return cursorReply(context, `${db}.$cmd.listCollections`, documents);
  },
};

function describeCollection({ info, indexes }: Collection): Doc {
  return docOf({
    name: info.name,
    type: "collection",
    options: {},
    info: { readOnly: false, uuid: new Binary(info.uuid, 4) },
    idIndex: indexes.find(({ name }) => name === "_id_")?.state.spec,
  });
}

export const listDatabases: Command = {
  fields: ["filter", "nameOnly", "authorizedDatabases"],
  run: ({ engine, args }) => {
    const filter = compileFilter(args.optionalObject("filter") ?? new Map());
    const nameOnly = args.boolean("nameOnly");
    const all = engine.catalog.databases().map((name) => {
      const bytes = nameOnly ? 0 : databaseBytes(engine.catalog.collections(name));
      return docOf({ name, sizeOnDisk: BigInt(bytes), empty: false });
    });
    const databases = all
      .filter((doc) => filter.matches(doc))
      .map((doc) => (nameOnly ? docOf({ name: doc.get("name") }) : doc));
    const total = all.reduce((sum, doc) => sum + Number(doc.get("sizeOnDisk")), 0);
    return docOf(nameOnly ? { databases } : { databases, totalSize: BigInt(total) });
  },
};

/** An estimate: a record takes at least a kilobyte of its page with its entries. */
function databaseBytes(collections: readonly Collection[]): number {
  return collections.reduce((sum, collection) => sum + 4096 + collection.count() * 1024, 0);
}
