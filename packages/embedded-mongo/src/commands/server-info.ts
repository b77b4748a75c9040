import { hostname } from "node:os";
import { docOf } from "../bson/document.ts";
import { maxDocumentBytes } from "../wire/frame.ts";
import type { Command } from "./command.ts";
import { serverVersion } from "./hello.ts";

export const ping: Command = { fields: [], run: () => docOf({}) };

export const buildInfo: Command = {
  fields: [],
  run: () =>
    docOf({
      version: serverVersion,
      gitVersion: "embedded",
      modules: ["gadget-embedded-mongo"],
      storageEngines: ["lmdb"],
      versionArray: serverVersion.split(".").map(Number).concat(0),
      javascriptEngine: "none",
      bits: 64,
      debug: false,
      maxBsonObjectSize: maxDocumentBytes,
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
      version: serverVersion,
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

/** Sessions carry nothing here (no transactions, no causal clock), so they need no registry. */
export const endSessions: Command = { fields: [], run: () => docOf({}) };
