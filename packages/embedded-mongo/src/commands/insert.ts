import { ObjectId, Timestamp } from "bson";
import { decode, docOf, encode } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import { type Doc, isDoc, typeName } from "../query/value.ts";
import type { Collection } from "../storage/collection.ts";
import {
  type Command,
  type CommandContext,
  checkDatabaseName,
  checkWritableName,
} from "./command.ts";
import { checkBatch, runStatements } from "./write-result.ts";

export const insert: Command = {
  fields: ["documents", "ordered", "bypassDocumentValidation"],
  run: async (context) => {
    const { engine, args } = context;
    const documents = insertedDocuments(context);
    checkBatch(documents.length);
    const ordered = args.boolean("ordered", true);
    let inserted = 0;
    const errors = await engine.write(() => {
      inserted = 0;
      const collection = writableCollection(context);
      return runStatements(documents, ordered, (document) => {
        const { doc, bytes } = prepare(document);
        collection.insert(doc, bytes);
        inserted += 1;
      });
    });
    return docOf({ n: inserted, writeErrors: errors.length > 0 ? errors : undefined });
  },
};

function insertedDocuments({ sequences, args }: CommandContext): readonly (Buffer | Doc)[] {
  return sequences.get("documents") ?? args.objects("documents");
}

/** The collection of a write, made if it is not there. Inside a write only. */
export function writableCollection({ engine, db, collectionName }: CommandContext): Collection {
  checkDatabaseName(db);
  checkWritableName(db, collectionName);
  return engine.catalog.find(db, collectionName) ?? engine.catalog.create(db, collectionName);
}

/** The document as it is stored: `_id` first, and made if it is missing. */
function prepare(given: Buffer | Doc): { doc: Doc; bytes: Uint8Array } {
  const doc = Buffer.isBuffer(given) ? decode(given) : given;
  const [first] = doc.keys();
  const id = doc.get("_id");
  checkId(id);
  const stamped = [...doc.values()].some(isEmptyTimestamp);
  if (Buffer.isBuffer(given) && first === "_id" && !stamped) return { doc, bytes: given };
  const stored: Doc = new Map([["_id", id === undefined ? new ObjectId() : id]]);
  for (const [name, value] of doc) {
    if (name === "_id") continue;
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

function checkId(id: ReturnType<Doc["get"]>): void {
  if (id === undefined) return;
  const type = typeName(id);
  if (type === "array" || type === "regex" || type === "undefined") {
    throw new CommandError("InvalidIdField", `The '_id' value cannot be of type ${type}`);
  }
  if (isDoc(id)) {
    for (const name of id.keys()) {
      if (!name.startsWith("$")) continue;
      throw new CommandError(
        "DollarPrefixedFieldName",
        `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
      );
    }
  }
}
