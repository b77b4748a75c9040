import { docOf } from "../bson/document.ts";
import type { Doc } from "../bson/value.ts";
import { maxDocumentBytes, maxMessageBytes } from "../wire/frame.ts";
import type { Command } from "./command.ts";

/** The MongoDB version whose behaviour is followed, as drivers ask for it. */
export const serverVersion = "7.0.0";
const maxWireVersion = 21;
export const maxWriteBatch = 100_000;

/** A standalone server: no set name, so that drivers send no transactions and no retryable writes. */
export function helloReply(connectionId: number, legacy: boolean): Doc {
  return docOf({
    ...(legacy ? { ismaster: true } : { isWritablePrimary: true }),
    helloOk: true,
    maxBsonObjectSize: maxDocumentBytes,
    maxMessageSizeBytes: maxMessageBytes,
    maxWriteBatchSize: maxWriteBatch,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId,
    minWireVersion: 0,
    maxWireVersion: maxWireVersion,
    readOnly: false,
  });
}

/** Drivers tell more with each version; as MongoDB does, only these two commands let them. */
export const hello: Command = {
  fields: "any",
  run: ({ connectionId }) => helloReply(connectionId, false),
};

export const isMaster: Command = {
  fields: "any",
  run: ({ connectionId }) => helloReply(connectionId, true),
};
