import type { Doc } from "../../bson/value.ts";

export type Stream = AsyncIterable<Doc>;

/** A compiled stage: documents in, documents out. */
export type Stage = (input: Stream) => Stream;
