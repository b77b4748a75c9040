import { createServer, type Server } from "node:http";
import { RefusalError } from "@gadget/api";
import { openApiDocument } from "@gadget/api/openapi";
import express, { type NextFunction, type Request, type Response } from "express";
import helmet from "helmet";
import type { Logger } from "pino";
import { type Config, ConfigError } from "./config.ts";
import type { Database } from "./database.ts";
import { docsRouter } from "./http/docs-router.ts";
import { allHandlers } from "./http/handlers/all-handlers.ts";
import type { HttpContext } from "./http/http-context.ts";
import { Metrics } from "./http/metrics.ts";
import { ownerGate } from "./http/owner-gate.ts";
import { pageRouter } from "./http/page-router.ts";
import { errorAnswer, hostGuard, restRouter } from "./http/router.ts";
import { serveMetrics } from "./http/serve-metrics.ts";
import type { Broker } from "./lib/broker.ts";
import { openSockets } from "./lib/sockets.ts";
import { diskFull } from "./models/database-refusal.ts";
import { every } from "./nodes/every.ts";
import { leaveSweep, takeSweep } from "./nodes/sweep-lease.ts";
import { ownName } from "./own-name.ts";
import { allowedHosts } from "./people/allowed-hosts.ts";
import { KnownIdentities } from "./people/known-identities.ts";
import { hasOwner } from "./people/owner.ts";
import { type Limits, rateLimits } from "./people/rate-limits.ts";
import { Relayed } from "./people/relayed.ts";
import { unshareLocal } from "./revoking/unshare-drone.ts";
import type { Secret } from "./secret.ts";
import { sweep } from "./turns/recovery/sweep.ts";
import { LiveTurns } from "./turns/state/live-turns.ts";
import { TurnFeed } from "./turns/state/turn-feed.ts";

export interface AppOptions {
  config: Config;
  database: Database;
  secret: Secret;
  log: Logger;
  version: string;
  /** The folder of the built page. */
  page: string;
  now?: () => Date;
  /** The page is shown under a name of its own: own-name.ts. */
  hasOwnName?: boolean;
  /** Before the first sweep, drones get this long to come back after a restart. */
  helloMs?: number;
  /** Where there are other nodes. */
  broker?: Broker | undefined;
  /** Other rate limits than the usual ones. */
  limits?: Partial<Limits>;
  /** How long a drone may be connected without a hello. */
  droneHelloMs?: number;
  /** How long a client may take to send its headers. */
  headersMs?: number;
}

export interface App {
  context: HttpContext;
  /** Resolves with the address when it listens. */
  listen(): Promise<string>;
  /** Where this machine reaches it, whatever its public address is. */
  address(): string;
  close(): Promise<void>;
  /** Called once there is an owner; at once where there is one already. */
  whenOwned(listener: () => void): Promise<void>;
}

export function buildApp(options: AppOptions): App {
  const { config, database, secret, log, version, page } = options;
  const http = express();
  const { headersMs = 20_000 } = options;
  const server = createServer(
    {
      requestTimeout: 60_000,
      headersTimeout: headersMs,
      connectionsCheckingInterval: headersMs / 2,
    },
    http,
  );
  const hosts = allowedHosts(config);
  const feed = new TurnFeed();
  const sockets = openSockets(server, hosts, feed, options.broker, options.droneHelloMs);
  const metrics = new Metrics(database.models, () => sockets.connected());
  const waiting = new Set<() => void>();
  const context: HttpContext = {
    models: database.models,
    secret,
    live: new LiveTurns(),
    publish: metrics.watch(sockets.publish),
    line: metrics.clock(sockets.line),
    nodes: sockets.nodes,
    log,
    graceMs: config.graceMs,
    now: options.now ?? (() => new Date()),
    elapsed: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    config,
    hosts,
    feed,
    limits: rateLimits(options.limits, options.broker?.redis),
    hangUp: sockets.hangUp,
    known: new KnownIdentities(),
    relayed: new Relayed((word, by) => sockets.nodes.wordSaid(word, by)),
    streams: sockets.streams,
    url: () => config.publicUrl?.origin ?? addressOf(server, config),
    pageUrl() {
      const url = new URL(context.url());
      if (options.hasOwnName === true) {
        url.hostname = ownName;
      }
      return url.origin;
    },
    onOwner() {
      for (const listener of waiting) {
        listener();
      }
      waiting.clear();
    },
  };
  sockets.serve(context);

  const openApi = once(() => openApiDocument(version));
  http.disable("x-powered-by");
  // Behind a proxy, people's own addresses are in its header.
  if (config.publicUrl !== undefined) {
    http.set("trust proxy", config.trustedProxies);
  }
  http.use(hostGuard(hosts));
  http.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: contentPolicy } }));
  http.get("/healthz", (_req, res) => void res.json({ ok: true, version }));
  http.get("/readyz", async (_req, res) => {
    const alive = await database.connection.db
      ?.admin()
      .ping()
      .catch(() => undefined);
    if (alive === undefined) {
      throw new RefusalError("unavailable", "The database can't be reached.");
    }
    if (database.isFull()) {
      throw new RefusalError("unavailable", diskFull);
    }
    if (options.broker !== undefined && !(await options.broker.isReachable())) {
      throw new RefusalError("unavailable", "Redis can't be reached: other nodes are not heard.");
    }
    res.json({ ok: true });
  });
  http.use(["/api", "/metrics"], keepNothing, ownerGate(database.models));
  http.get("/metrics", serveMetrics(context, metrics));
  http.get("/api/v1/openapi.json", (_req, res) => void res.json(openApi()));
  http.use("/api/docs", docsRouter(version));
  http.use("/api/v1", restRouter(context, allHandlers(context)));
  http.use("/api", (req) => {
    throw new RefusalError("not_found", `There is no ${req.method} ${req.originalUrl}.`);
  });
  http.use(pageRouter(page));
  http.use(errorAnswer(context));

  let stopSweeper = (): void => {};
  return {
    context,
    async listen() {
      await listenOn(server, config);
      await unshareLocal(context);
      const period = Math.min(5_000, Math.max(250, config.graceMs / 4));
      const turn = async (): Promise<void> => {
        if (await takeSweep(context, period * 3)) {
          await sweep(context);
        }
      };
      stopSweeper = every(period, options.helloMs ?? 10_000, turn, log);
      return context.url();
    },
    address: () => addressOf(server, config),
    async close() {
      stopSweeper();
      const closed = sockets.close();
      // Event streams would stay open, and the server with them.
      server.closeAllConnections();
      await closed;
      await leaveSweep(context);
    },
    async whenOwned(listener) {
      if (await hasOwner(database.models)) {
        listener();
      } else {
        waiting.add(listener);
      }
    },
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** What is answered is one person's: neither a browser nor a proxy keeps it. */
function keepNothing(_req: Request, res: Response, next: NextFunction): void {
  res.setHeader("Cache-Control", "no-store");
  next();
}

/** No inline script or style, nothing from elsewhere, no frame around us. */
const contentPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  // Inline style attributes, which libraries set on elements that they place; no style sheets.
  styleSrcAttr: ["'unsafe-inline'"],
  imgSrc: ["'self'", "data:"],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  workerSrc: ["'self'"],
  manifestSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  // Text becomes neither markup nor code: frontend/src/lib/trusted-scripts.ts.
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ["default"],
};

function addressOf(server: Server, { host, port }: Config): string {
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : port;
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const name = shown.includes(":") ? `[${shown}]` : shown;
  return `http://${name}:${actual}`;
}

function listenOn(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") {
        reject(
          new ConfigError(
            `Port ${port} is in use. Set GADGET_PORT to another one, or stop what uses it.`,
          ),
        );
      } else if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
        reject(new ConfigError(`GADGET_HOST is "${host}", which is no address of this machine.`));
      } else {
        reject(error);
      }
    });
    server.listen(port, host, () => resolve());
  });
}
