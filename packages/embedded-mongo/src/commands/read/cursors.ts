import { CommandError } from "../../bson/command-error.ts";
import { encode } from "../../bson/document.ts";
import type { Doc } from "../../bson/value.ts";
import { Cursor, maxBatchBytes } from "../../cursor-registry.ts";
import { encodeCursorReply } from "../../wire/encode-cursor-reply.ts";
import { Arguments } from "../arguments.ts";
import type { Command, CommandContext } from "../command.ts";

const firstBatchSize = 101;

/** The first batch of a cursor, which is kept if there is more. */
export async function firstBatch(
  context: CommandContext,
  cursor: Cursor,
  batchSize = firstBatchSize,
  singleBatch = false,
): Promise<Buffer> {
  // Of a single batch nobody can ask for the rest.
  const maxBytes = singleBatch ? maxBatchBytes : undefined;
  const documents = await cursor.batch(batchSize, context.slice(), maxBytes);
  if (singleBatch) {
    cursor.close();
  }
  const id = context.engine.cursors.keep(cursor);
  return encodeCursorReply("firstBatch", cursor.namespace, id, documents);
}

/** A list that is short by nature, with the `cursor: {batchSize}` of the command. */
export function cursorReply(
  context: CommandContext,
  namespace: string,
  documents: readonly Doc[],
): Promise<Buffer> {
  const cursor = new Cursor(namespace, documents.map(encode).values());
  return firstBatch(context, cursor, cursorBatchSize(context.args));
}

export function cursorBatchSize(args: Arguments): number | undefined {
  const options = args.optionalObject("cursor");
  if (options === undefined) {
    return undefined;
  }
  const cursor = new Arguments(`${args.name}.cursor`, options);
  cursor.allowOnly(["batchSize"]);
  return cursor.optionalCount("batchSize");
}

export const getMore: Command = {
  fields: ["collection", "batchSize", "term", "lastKnownCommittedOpTime"],
  run: async (context) => {
    const { engine, args, db } = context;
    const id = cursorId(args.doc.get("getMore"));
    const cursor = engine.cursors.take(id, `${db}.${args.string("collection")}`);
    if (cursor.busy) {
      throw new CommandError(12051, `cursor id ${id} is already in use`);
    }
    const size = args.optionalCount("batchSize");
    cursor.busy = true;
    try {
      const documents = await cursor.batch(
        size === undefined || size === 0 ? Number.POSITIVE_INFINITY : size,
        context.slice(),
      );
      if (cursor.done) {
        engine.cursors.remove(id);
      }
      return encodeCursorReply("nextBatch", cursor.namespace, cursor.done ? 0n : id, documents);
    } catch (error) {
      engine.cursors.remove(id);
      throw error;
    } finally {
      cursor.busy = false;
    }
  },
};

export const killCursors: Command = {
  fields: ["cursors"],
  run: ({ engine, args }) => {
    const killed: bigint[] = [];
    const notFound: bigint[] = [];
    for (const value of args.array("cursors")) {
      const id = cursorId(value);
      (engine.cursors.remove(id) ? killed : notFound).push(id);
    }
    return new Map([
      ["cursorsKilled", killed],
      ["cursorsNotFound", notFound],
      ["cursorsAlive", []],
      ["cursorsUnknown", []],
    ]);
  },
};

function cursorId(value: unknown): bigint {
  if (typeof value === "bigint") {
    return value;
  }
  throw new CommandError("TypeMismatch", "a cursor id must be of type long");
}
