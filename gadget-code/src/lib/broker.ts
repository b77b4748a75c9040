import { createAdapter } from "@socket.io/redis-streams-adapter";
import type { Logger } from "pino";
import { createClient } from "redis";
import type { ServerOptions } from "socket.io";
import { ConfigError } from "../config.ts";

const connectMs = 5_000;
const pingMs = 1_000;
const slowestRetryMs = 1_000;

/** What the nodes share beside the database: Redis, through socket.io's adapter. */
export interface Broker {
  adapter: ServerOptions["adapter"];
  /** The connection itself, for counters that nodes share. */
  redis: object;
  isReachable(): Promise<boolean>;
  /** Called when Redis is back after it was away. */
  onReturn(listener: () => void): void;
  close(): Promise<void>;
}

export async function openBroker(url: string, log: Logger): Promise<Broker> {
  const client = createClient({
    url,
    RESP: 2,
    socket: {
      connectTimeout: connectMs,
      reconnectStrategy: (tries) => Math.min(20 * 2 ** Math.min(tries, 10), slowestRetryMs),
    },
  });
  let isAway = false;
  const onReturn: (() => void)[] = [];
  client.on("error", (error: unknown) => {
    if (!isAway) {
      log.error({ err: error }, "Redis is away: other nodes can't be reached");
    }
    isAway = true;
  });
  client.on("ready", () => {
    if (!isAway) {
      return;
    }
    isAway = false;
    log.info("Redis is back");
    for (const listener of onReturn) {
      listener();
    }
  });
  await inTime(client.connect(), connectMs).catch((error: unknown) => {
    client.destroy();
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`Redis can't be reached: ${reason}. Check REDIS_URL.`);
  });

  /** While Redis is away nothing waits for it: what others missed they read in the log. */
  const attempt = async <T>(send: () => Promise<T>, without: T): Promise<T> =>
    client.isReady ? send().catch(() => without) : without;
  // The part of a client that the adapter publishes with; it never rejects, for nobody listens.
  const publishing = {
    sSubscribe() {},
    duplicate: () => client.duplicate(),
    publish: (channel: string, payload: Buffer) =>
      attempt(() => client.publish(channel, payload), 0),
    xAdd: (...args: Parameters<typeof client.xAdd>) => attempt(() => client.xAdd(...args), ""),
    // How many nodes there are; alone, as far as this one can tell, while Redis is away.
    sendCommand: (args: string[]) =>
      attempt<unknown>(() => client.sendCommand(args), [args.at(-1), "1"]),
  };
  return {
    adapter: createAdapter(publishing, { streamName: "gadget", channelPrefix: "gadget" }),
    redis: client,
    isReachable: () =>
      client.isReady
        ? inTime(client.ping(), pingMs).then(
            () => true,
            () => false,
          )
        : Promise.resolve(false),
    onReturn: (listener) => void onReturn.push(listener),
    async close() {
      client.destroy();
    },
  };
}

function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
