import { aggregate } from "./aggregate.ts";
import { create, drop, dropDatabase, listCollections, listDatabases } from "./collections.ts";
import type { Command } from "./command.ts";
import { count } from "./count.ts";
import { getMore, killCursors } from "./cursor-reply.ts";
import { deleteCommand } from "./delete.ts";
import { distinct } from "./distinct.ts";
import { explain } from "./explain.ts";
import { find } from "./find.ts";
import { findAndModify } from "./find-and-modify.ts";
import { hello, isMaster } from "./hello.ts";
import { createIndexes, dropIndexes, listIndexes } from "./indexes.ts";
import { insert } from "./insert.ts";
import { buildInfo, endSessions, ping, serverStatus } from "./server-info.ts";
import { update } from "./update.ts";
import { validate } from "./validate.ts";

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
