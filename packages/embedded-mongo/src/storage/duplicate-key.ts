import { CommandError } from "../bson/command-error.ts";
import { describe } from "../bson/describe.ts";
import type { Doc, Value } from "../bson/value.ts";

/** E11000 in MongoDB's words: drivers and applications read the message. */
export function duplicateKey(
  namespace: string,
  indexName: string,
  keyPattern: Doc,
  values: readonly Value[],
): CommandError {
  const keyValue: Doc = new Map();
  [...keyPattern.keys()].forEach((path, i) => keyValue.set(path, values[i] ?? null));
  return new CommandError(
    "DuplicateKey",
    `E11000 duplicate key error collection: ${namespace} index: ${indexName} dup key: ${describe(keyValue)}`,
    { keyPattern, keyValue },
  );
}
