import { arch, cpus, hostname, platform, release, totalmem } from "node:os";
import { docOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import { MAX_DOCUMENT_BYTES } from "../wire/frame.ts";
import type { Command } from "./command.ts";
import { SERVER_VERSION } from "./hello.ts";

export const ping: Command = { fields: [], run: () => docOf({}) };

export const buildInfo: Command = {
  fields: [],
  run: () =>
    docOf({
      version: SERVER_VERSION,
      gitVersion: "embedded",
      modules: ["gadget-embedded-mongo"],
      storageEngines: ["lmdb"],
      versionArray: SERVER_VERSION.split(".").map(Number).concat(0),
      javascriptEngine: "none",
      bits: 64,
      debug: false,
      maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    }),
};

export const hostInfo: Command = {
  fields: [],
  run: () =>
    docOf({
      system: {
        currentTime: new Date(),
        hostname: hostname(),
        cpuAddrSize: 64,
        memSizeMB: Math.floor(totalmem() / 1024 ** 2),
        numCores: cpus().length,
        cpuArch: arch(),
      },
      os: { type: platform(), name: platform(), version: release() },
      extra: {},
    }),
};

export const serverStatus: Command = {
  fields: [
    "repl",
    "metrics",
    "locks",
    "tcmalloc",
    "wiredTiger",
    "opcounters",
    "connections",
    "network",
    "mem",
  ],
  run: ({ engine }) => {
    const { rss, heapUsed } = process.memoryUsage();
    const uptime = (Date.now() - engine.startedAt) / 1000;
    return docOf({
      host: hostname(),
      version: SERVER_VERSION,
      process: "embedded-mongo",
      pid: BigInt(process.pid),
      uptime,
      uptimeMillis: BigInt(Math.round(uptime * 1000)),
      localTime: new Date(),
      connections: { current: engine.connections },
      metrics: { cursor: { open: { total: BigInt(engine.cursors.size) } } },
      mem: {
        bits: 64,
        resident: Math.round(rss / 1024 ** 2),
        heap: Math.round(heapUsed / 1024 ** 2),
      },
      storageEngine: { name: "lmdb", persistent: true, supportsCommittedReads: true },
    });
  },
};

export const connectionStatus: Command = {
  fields: ["showPrivileges"],
  run: () => docOf({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
};

export const whatsmyuri: Command = {
  fields: [],
  run: ({ connectionId }) => docOf({ you: `connection:${connectionId}` }),
};

const PARAMETERS = {
  featureCompatibilityVersion: { version: SERVER_VERSION.split(".").slice(0, 2).join(".") },
  authenticationMechanisms: [],
  enableTestCommands: false,
};

export const getParameter: Command = {
  fields: [...Object.keys(PARAMETERS), "allParameters"],
  run: ({ args }) => {
    const all = args.doc.get("getParameter") === "*";
    const known = Object.entries(PARAMETERS).filter(([name]) => all || args.has(name));
    if (known.length === 0) {
      throw new CommandError("InvalidOptions", "no option found to get");
    }
    return docOf(Object.fromEntries(known));
  },
};

export const getLog: Command = {
  fields: [],
  run: ({ args }) =>
    args.doc.get("getLog") === "*"
      ? docOf({ names: ["global", "startupWarnings"] })
      : docOf({ totalLinesWritten: 0, log: [] }),
};

export const getCmdLineOpts: Command = {
  fields: [],
  run: () => docOf({ argv: ["embedded-mongo"], parsed: {} }),
};
