import { CommandError } from "../bson/command-error.ts";
import { describe } from "../bson/describe.ts";
import { type Doc, isDoc, isNumeric } from "../bson/value.ts";

/** The fields that any command may carry. */
export const genericFields = [
  "$db",
  "$clusterTime",
  "$readPreference",
  "$audit",
  "$client",
  "$configServerState",
  "apiVersion",
  "apiStrict",
  "apiDeprecationErrors",
  "autocommit",
  "comment",
  "lsid",
  "maxTimeMS",
  "maxTimeMSOpOnly",
  "readConcern",
  "startTransaction",
  "stmtId",
  "stmtIds",
  "txnNumber",
  "writeConcern",
];

/** Refuses what a standalone MongoDB refuses, and what can't be honoured. */
export function checkGenericFields(body: Doc): void {
  if (body.has("txnNumber") || body.has("startTransaction") || body.has("autocommit")) {
    throw new CommandError(
      "IllegalOperation",
      "Transaction numbers are only allowed on a replica set member or mongos",
    );
  }
  const apiVersion = body.get("apiVersion");
  if (apiVersion !== undefined && apiVersion !== "1") {
    throw new CommandError(322, 'API version must be "1"');
  }
  checkReadConcern(body.get("readConcern"));
  checkWriteConcern(body.get("writeConcern"));
}

function checkReadConcern(concern: ReturnType<Doc["get"]>): void {
  if (!isDoc(concern)) {
    return;
  }
  const level = concern.get("level") ?? "local";
  if (level === "local" || level === "available" || level === "majority") {
    return;
  }
  if (level === "linearizable" || level === "snapshot") {
    throw new CommandError(
      123,
      `node needs to be a replica set member to use readConcern: ${level}`,
    );
  }
  throw new CommandError("FailedToParse", `readConcern.level '${describe(level)}' is not valid`);
}

/** Every write is journaled before it is acknowledged, which is all that one server can promise. */
function checkWriteConcern(concern: ReturnType<Doc["get"]>): void {
  if (!isDoc(concern)) {
    return;
  }
  const w = concern.get("w") ?? 1;
  if (isNumeric(w)) {
    const number = Number(w.toString());
    if (number >= 0 && number <= 1) {
      return;
    }
    throw new CommandError("BadValue", "cannot use 'w' > 1 when a host is not replicated");
  }
  if (w !== "majority") {
    throw new CommandError(
      "BadValue",
      `cannot use non-majority 'w' mode ${describe(w)} when a host is not a member of a replica set`,
    );
  }
}
