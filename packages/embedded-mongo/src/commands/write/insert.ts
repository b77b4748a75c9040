import { ObjectId, Timestamp } from "bson";
import { checkStorableId } from "../../bson/check-storable-id.ts";
import { decode, docOf, encode } from "../../bson/document.ts";
import type { Doc } from "../../bson/value.ts";
import type { Collection } from "../../storage/collection.ts";
import {
  type Command,
  type CommandContext,
  checkDatabaseName,
  checkWritableName,
} from "../command.ts";
import { checkBatch, runStatements } from "./run-statements.ts";

export const insert: Command = {
  fields: ["documents", "ordered", "bypassDocumentValidation"],
  run: async (context) => {
    const documents = insertedDocuments(context);
    checkBatch(documents.length);
    checkTarget(context);
    let inserted = 0;
    const errors = await runStatements(context, documents, (document) => {
      const { doc, bytes } = prepare(document);
      writableCollection(context).insert(doc, bytes);
      inserted += 1;
      return undefined;
    });
    return docOf({ n: inserted, writeErrors: errors.length > 0 ? errors : undefined });
  },
};

function insertedDocuments({ sequences, args }: CommandContext): readonly (Buffer | Doc)[] {
  return sequences.get("documents") ?? args.objects("documents");
}

/** The collection of a write, made if it is not there. Inside a write only. */
export function writableCollection(context: CommandContext): Collection {
  const { engine, db, collectionName } = context;
  checkTarget(context);
  return engine.catalog.find(db, collectionName) ?? engine.catalog.create(db, collectionName);
}

function checkTarget({ db, collectionName }: CommandContext): void {
  checkDatabaseName(db);
  checkWritableName(db, collectionName);
}

/** The document as it is stored: `_id` first, and made if it is missing. */
function prepare(given: Buffer | Doc): { doc: Doc; bytes: Uint8Array } {
  const doc = Buffer.isBuffer(given) ? decode(given) : given;
  const [first] = doc.keys();
  const id = doc.get("_id");
  checkStorableId(id);
  const stamped = [...doc.values()].some(isEmptyTimestamp);
  if (Buffer.isBuffer(given) && first === "_id" && !stamped) {
    return { doc, bytes: given };
  }
  const stored: Doc = new Map([["_id", id === undefined ? new ObjectId() : id]]);
  for (const [name, value] of doc) {
    if (name === "_id") {
      continue;
    }
    stored.set(name, isEmptyTimestamp(value) ? now() : value);
  }
  return { doc: stored, bytes: encode(stored) };
}

function isEmptyTimestamp(value: unknown): boolean {
  return value instanceof Timestamp && value.isZero();
}

let counter = 0;

function now(): Timestamp {
  counter += 1;
  return new Timestamp({ t: Math.floor(Date.now() / 1000), i: counter });
}
