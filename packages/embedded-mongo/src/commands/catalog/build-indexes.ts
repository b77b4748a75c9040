import { CommandError } from "../../bson/command-error.ts";
import { decode } from "../../bson/document.ts";
import type { Doc } from "../../bson/value.ts";
import type { Collection } from "../../storage/collection.ts";
import type { CollectionIndex } from "../../storage/collection-index.ts";
import { after, ridAtEnd } from "../../storage/record-key.ts";
import { scan } from "../../storage/scan.ts";
import type { CommandContext } from "../command.ts";
import { writeMs } from "../write/apply-now.ts";
import { writableCollection } from "../write/insert.ts";

const indexBuildAborted = 276;

interface Build {
  collection: Collection;
  indexes: readonly CollectionIndex[];
  /** Where the records begin that are not in the indexes. Undefined: all are. */
  from: Uint8Array | undefined;
}

/** What there was before, and is now. */
interface Built {
  created: boolean;
  before: number;
  after: number;
}

/**
 * Makes the indexes that do not exist, in as many writes as it takes: others are served between
 * them. All are made or none. Undefined if another build of this collection has to end first.
 */
export async function buildIndexes(
  context: CommandContext,
  specs: readonly Doc[],
  exists: (collection: Collection, spec: Doc) => boolean,
): Promise<Built | undefined> {
  const { engine, db, collectionName } = context;
  let created = false;
  let before = 0;
  const build = await engine.write((): Build | undefined => {
    created = engine.catalog.find(db, collectionName) === undefined;
    const collection = writableCollection(context);
    before = collection.indexes.length;
    if (collection.building.length > 0) {
      return undefined;
    }
    const indexes = specs.flatMap((spec) =>
      exists(collection, spec) ? [] : [engine.catalog.addIndex(collection, spec)],
    );
    return fill(context, { collection, indexes, from: collection.range.start });
  });
  if (build === undefined) {
    return undefined;
  }
  if (build.from !== undefined) {
    const going = goOn(context, build);
    build.collection.buildEnds = going
      .catch(() => {})
      .finally(() => {
        build.collection.buildEnds = undefined;
      });
    await going;
  }
  return { created, before, after: build.collection.indexes.length };
}

async function goOn(context: CommandContext, start: Build): Promise<void> {
  const { catalog } = context.engine;
  const { collection, indexes } = start;
  let build = start;
  const isThere = (): boolean =>
    catalog.find(collection.info.db, collection.info.name) === collection;
  try {
    while (build.from !== undefined) {
      await context.slice().pause();
      build = await context.engine.write(() => {
        if (!isThere()) {
          throw new CommandError(
            indexBuildAborted,
            `Index build failed: the collection ${collection.namespace} is no longer there`,
          );
        }
        return fill(context, build);
      });
    }
  } catch (error) {
    await context.engine.write(() => {
      for (const index of isThere() ? indexes : []) {
        catalog.giveUpIndex(collection, index);
      }
    });
    context.engine.purgeDropped();
    throw error;
  }
}

/** Inside a write: enters records for a moment, and finishes the indexes after the last one. */
function fill({ engine }: CommandContext, build: Build): Build {
  const { collection, indexes, from = collection.range.start } = build;
  const until = performance.now() + writeMs;
  const range = { start: from, end: collection.range.end };
  for (const { key, value } of indexes.length === 0
    ? []
    : scan(() => engine.store.docs, range, false)) {
    for (const index of indexes) {
      collection.addToIndex(index, ridAtEnd(key), decode(value));
    }
    if (performance.now() > until) {
      return { ...build, from: after(key) };
    }
  }
  for (const index of indexes) {
    engine.catalog.finishIndex(collection, index);
  }
  return { ...build, from: undefined };
}
