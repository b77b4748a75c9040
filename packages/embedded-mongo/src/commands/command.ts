import { CommandError } from "../bson/command-error.ts";
import { type Doc, typeName } from "../bson/value.ts";
import type { Engine } from "../engine.ts";
import type { Collection } from "../storage/collection.ts";
import { TimeSlice } from "../time-slice.ts";
import { Arguments } from "./arguments.ts";

/** What a command is given. */
export class CommandContext {
  readonly engine: Engine;
  readonly db: string;
  readonly args: Arguments;
  /** Documents that came beside the body: kind 1 sections. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  readonly connectionId: number;
  /** Aborted when the client is gone or the server stops. */
  readonly signal: AbortSignal;
  #slice: TimeSlice | undefined;

  constructor(given: {
    engine: Engine;
    db: string;
    args: Arguments;
    sequences: ReadonlyMap<string, readonly Buffer[]>;
    connectionId: number;
    signal: AbortSignal;
  }) {
    this.engine = given.engine;
    this.db = given.db;
    this.args = given.args;
    this.sequences = given.sequences;
    this.connectionId = given.connectionId;
    this.signal = given.signal;
  }

  /** The same for a command inside of this one. */
  forCommand(args: Arguments): CommandContext {
    const { engine, db, sequences, connectionId, signal } = this;
    return new CommandContext({ engine, db, args, sequences, connectionId, signal });
  }

  /** The collection that the command's first field names. */
  get collectionName(): string {
    const value = this.args.doc.get(this.args.name);
    if (typeof value !== "string") {
      throw new CommandError(
        "InvalidNamespace",
        `collection name has invalid type ${value === undefined ? "missing" : typeName(value)}`,
      );
    }
    checkCollectionName(this.db, value);
    return value;
  }

  get namespace(): string {
    return `${this.db}.${this.collectionName}`;
  }

  /** The collection to read from. One that does not exist is empty, and is asked like any other. */
  get readCollection(): Collection {
    const { engine, db, collectionName } = this;
    return engine.catalog.find(db, collectionName) ?? engine.catalog.missing(db, collectionName);
  }

  /** One for the whole command: its `maxTimeMS` counts from the first call. */
  slice(): TimeSlice {
    this.#slice ??= new TimeSlice(
      this.engine.store,
      this.signal,
      this.args.optionalCount("maxTimeMS"),
    );
    return this.#slice;
  }
}

/** The reply: a document without `ok`, or a whole one that is BSON already. */
export type Reply = Doc | Uint8Array;

export interface Command {
  /** The fields that it understands, its own name and the generic ones apart. */
  fields: readonly string[] | "any";
  run(context: CommandContext): Reply | Promise<Reply>;
}

const forbiddenInDb = /[/\\. "$*<>:|?\0]/;

export function checkDatabaseName(db: string): void {
  if (db === "" || forbiddenInDb.test(db) || Buffer.byteLength(db) > 63) {
    throw new CommandError("InvalidNamespace", `Invalid database name: '${db}'`);
  }
}

function checkCollectionName(db: string, name: string): void {
  if (name !== "" && !name.includes("\0") && !name.startsWith(".") && !name.endsWith(".")) {
    return;
  }
  throw new CommandError("InvalidNamespace", `Invalid namespace specified '${db}.${name}'`);
}

/** What may be written to or created. Reading a strange name finds nothing, which is right. */
export function checkWritableName(db: string, name: string): void {
  if (name.includes("$") || name.startsWith("system.") || Buffer.byteLength(name) > 235) {
    throw new CommandError("InvalidNamespace", `Invalid collection name: ${db}.${name}`);
  }
}
