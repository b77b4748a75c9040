import mongoose from "mongoose";

const { BSON, MongoError, MongoServerError } = mongoose.mongo;

/** The database will never take this, however often it is asked. */
const neverTaken = new Set<unknown>([2, 9, 14, 15, 16, 22, 10_334, 17_419, 17_420]);

/** What was written can't be stored: it is nested too deeply, too large, or no document at all. */
export function isUnstorable(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof BSON.BSONError) {
    return true;
  }
  return error instanceof MongoServerError && neverTaken.has(error.code);
}

/** The database can't be reached or is in trouble: a later try may succeed. */
export function isDatabaseTrouble(error: unknown): error is Error {
  return error instanceof MongoError && !isUnstorable(error);
}
