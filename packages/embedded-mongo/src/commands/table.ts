import { aggregate } from "./aggregate.ts";
import {
  collMod,
  create,
  drop,
  dropDatabase,
  listCollections,
  listDatabases,
  renameCollection,
} from "./collections.ts";
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
import {
  buildInfo,
  connectionStatus,
  getCmdLineOpts,
  getLog,
  getParameter,
  hostInfo,
  ping,
  serverStatus,
  whatsmyuri,
} from "./server-info.ts";
import {
  endSessions,
  killAllSessions,
  killAllSessionsByPattern,
  killSessions,
  refreshSessions,
  startSession,
} from "./sessions.ts";
import { collStats, dbStats, validate } from "./stats.ts";
import { update } from "./update.ts";

/** Every command that is understood, by its name on the wire. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    aggregate,
    buildInfo,
    buildinfo: buildInfo,
    collMod,
    collStats,
    collstats: collStats,
    connectionStatus,
    count,
    create,
    createIndexes,
    dbStats,
    dbstats: dbStats,
    delete: deleteCommand,
    distinct,
    drop,
    dropDatabase,
    dropIndexes,
    deleteIndexes: dropIndexes,
    endSessions,
    explain,
    find,
    findAndModify,
    findandmodify: findAndModify,
    getCmdLineOpts,
    getLog,
    getMore,
    getParameter,
    hello,
    hostInfo,
    insert,
    isMaster,
    ismaster: isMaster,
    killAllSessions,
    killAllSessionsByPattern,
    killCursors,
    killSessions,
    listCollections,
    listDatabases,
    listIndexes,
    ping,
    refreshSessions,
    renameCollection,
    serverStatus,
    startSession,
    update,
    validate,
    whatsmyuri,
  }),
);
