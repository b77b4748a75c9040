import { CommandError } from "../../bson/command-error.ts";
import { describe } from "../../bson/describe.ts";
import { docOf, identical } from "../../bson/document.ts";
import { type Doc, isDoc, type Value } from "../../bson/value.ts";
import type { Collection } from "../../storage/collection.ts";
import type { CollectionIndex } from "../../storage/collection-index.ts";
import type { Command } from "../command.ts";
import { cursorReply } from "../read/cursors.ts";
import { buildIndexes } from "./build-indexes.ts";
import { indexSpec } from "./index-spec.ts";

export const createIndexes: Command = {
  fields: ["indexes", "commitQuorum", "ignoreUnknownIndexOptions"],
  run: async (context) => {
    const { engine, db, collectionName, args } = context;
    args.refuse("ignoreUnknownIndexOptions", "this option is not supported");
    const specs = args.objects("indexes").map(indexSpec);
    if (specs.length === 0) {
      throw new CommandError("BadValue", "Must specify at least one index to create");
    }
    for (;;) {
      const built = await buildIndexes(context, specs, exists);
      if (built !== undefined) {
        return docOf({
          numIndexesBefore: built.before,
          numIndexesAfter: built.after,
          createdCollectionAutomatically: built.created,
          note: built.before === built.after ? "all indexes already exist" : undefined,
        });
      }
      await engine.catalog.find(db, collectionName)?.buildEnds;
    }
  },
};

/** Throws when an index is there that the new one would contradict. */
function exists(collection: Collection, spec: Doc): boolean {
  const present = [...collection.indexes, ...collection.building];
  for (const { name, state, keyPattern } of present) {
    const sameName = name === spec.get("name");
    const sameKey = identical(comparable(keyPattern), comparable(spec.get("key")));
    const sameOptions = identical(options(state.spec), options(spec));
    if (sameKey && (name === "_id_" || (sameName && sameOptions))) {
      return true;
    }
    const pair = `Requested index: ${describe(spec)}, existing index: ${describe(state.spec)}`;
    if (sameName && sameKey) {
      throw new CommandError(
        "IndexOptionsConflict",
        `An equivalent index already exists with the same name but different options. ${pair}`,
      );
    }
    if (sameName) {
      throw new CommandError(
        "IndexKeySpecsConflict",
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. ${pair}`,
      );
    }
    const samePartial = identical(
      spec.get("partialFilterExpression"),
      state.spec.get("partialFilterExpression"),
    );
    const sameSparse = spec.get("sparse") === state.spec.get("sparse");
    if (
      sameKey &&
      samePartial &&
      sameSparse &&
      (sameOptions || spec.get("unique") === state.spec.get("unique"))
    ) {
      throw new CommandError(
        "IndexOptionsConflict",
        `Index already exists with a different name: ${name}`,
      );
    }
  }
  return false;
}

/** Key directions may be written as int, long or double. */
function comparable(key: Value | undefined): Doc {
  return new Map(isDoc(key) ? [...key].map(([path, way]) => [path, Number(way)]) : []);
}

function options(spec: Doc): Doc {
  const rest: [string, Value][] = [...spec].filter(
    ([name]) => !["v", "key", "name"].includes(name),
  );
  return new Map(
    rest
      .map(([name, value]): [string, Value] =>
        name === "expireAfterSeconds" ? [name, Number(value)] : [name, value],
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export const listIndexes: Command = {
  fields: ["cursor", "includeBuildUUIDs", "includeIndexBuildInfo"],
  run: (context) => {
    const { engine, db, collectionName, namespace } = context;
    const collection = engine.catalog.find(db, collectionName);
    if (collection === undefined) {
      throw new CommandError("NamespaceNotFound", `ns does not exist: ${namespace}`);
    }
    return cursorReply(
      context,
      namespace,
      collection.indexes.map(({ state }) => state.spec),
    );
  },
};

export const dropIndexes: Command = {
  fields: ["index"],
  run: async ({ engine, db, collectionName, namespace, args }) => {
    const named = args.doc.get("index");
    const before = await engine.write(() => {
      const collection = engine.catalog.find(db, collectionName);
      if (collection === undefined) {
        throw new CommandError("NamespaceNotFound", `ns not found ${namespace}`);
      }
      const count = collection.indexes.length;
      for (const index of indexesToDrop(collection, named)) {
        engine.catalog.dropIndex(collection, index);
      }
      return count;
    });
    engine.purgeDropped();
    return docOf({ nIndexesWas: before });
  },
};

function indexesToDrop(collection: Collection, named: Value | undefined): CollectionIndex[] {
  if (named === "*") {
    return collection.indexes.filter(({ name }) => name !== "_id_");
  }
  const wanted = Array.isArray(named) ? named : [named];
  return wanted.map((one) => {
    const [index, another] = collection.indexes.filter(({ name, keyPattern }) =>
      isDoc(one) ? identical(comparable(keyPattern), comparable(one)) : name === one,
    );
    if (index !== undefined && another !== undefined && isDoc(one)) {
      throw new CommandError(
        "AmbiguousIndexKeyPattern",
        `${collection.indexes.length} indexes found for key: ${describe(one)}, identify by name instead. Conflicting indexes: ${index.name}, ${another.name}`,
      );
    }
    if (index === undefined) {
      throw new CommandError(
        "IndexNotFound",
        typeof one === "string"
          ? `index not found with name [${one}]`
          : `can't find index with key: ${describe(one)}`,
      );
    }
    if (index.name === "_id_") {
      throw new CommandError("InvalidOptions", "cannot drop _id index");
    }
    return index;
  });
}
