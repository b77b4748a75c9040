import { CommandError } from "../../bson/command-error.ts";
import { docOf } from "../../bson/document.ts";
import { verify } from "../../storage/verify.ts";
import type { Command } from "../command.ts";

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
