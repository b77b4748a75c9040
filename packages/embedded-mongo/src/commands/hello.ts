import { docOf } from "../bson/document.ts";
import type { Doc } from "../bson/value.ts";
import { MAX_DOCUMENT_BYTES, MAX_MESSAGE_BYTES } from "../wire/frame.ts";
import type { Command } from "./command.ts";

/** The MongoDB version whose behaviour is followed, as drivers ask for it. */
export const SERVER_VERSION = "7.0.0";
const MAX_WIRE_VERSION = 21;
export const MAX_WRITE_BATCH = 100_000;

/** A standalone server: no set name, so that drivers send no transactions and no retryable writes. */
export function helloReply(connectionId: number, legacy: boolean): Doc {
  return docOf({
    ...(legacy ? { ismaster: true } : { isWritablePrimary: true }),
    helloOk: true,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_WRITE_BATCH,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
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
