import { aggregate } from "./aggregate/aggregate.ts";
import {
  create,
  drop,
  dropDatabase,
  listCollections,
  listDatabases,
} from "./catalog/collections.ts";
import { createIndexes, dropIndexes, listIndexes } from "./catalog/indexes.ts";
import { validate } from "./catalog/validate.ts";
import type { Command } from "./command.ts";
import { hello, isMaster } from "./hello.ts";
import { count } from "./read/count.ts";
import { getMore, killCursors } from "./read/cursors.ts";
import { distinct } from "./read/distinct.ts";
import { explain } from "./read/explain.ts";
import { find } from "./read/find.ts";
import { buildInfo, endSessions, ping, serverStatus } from "./server-info.ts";
import { deleteCommand } from "./write/delete-command.ts";
import { findAndModify } from "./write/find-and-modify.ts";
import { insert } from "./write/insert.ts";
import { update } from "./write/update.ts";

/** Every command that is understood, by its name on the wire. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    aggregate,
    buildInfo,
    buildinfo: buildInfo,
    count,
    create,
    createIndexes,
    delete: deleteCommand,
    distinct,
    drop,
    dropDatabase,
    dropIndexes,
    endSessions,
    explain,
    find,
    findAndModify,
    findandmodify: findAndModify,
    getMore,
    hello,
    insert,
    isMaster,
    ismaster: isMaster,
    killCursors,
    listCollections,
    listDatabases,
    listIndexes,
    ping,
    serverStatus,
    update,
    validate,
  }),
);

/** Commands of MongoDB that shells and tools send; each is refused by its name. */
export const refusedCommands: ReadonlySet<string> = new Set([
  "collMod",
  "collStats",
  "connectionStatus",
  "convertToCapped",
  "dbHash",
  "dbStats",
  "getCmdLineOpts",
  "getLog",
  "getParameter",
  "hostInfo",
  "killAllSessions",
  "killSessions",
  "refreshSessions",
  "renameCollection",
  "setParameter",
  "startSession",
  "whatsmyuri",
]);
