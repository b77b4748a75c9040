import type { Connection, ConnectOptions } from "mongoose";
import type { Logger } from "pino";

interface Watch {
  uri: string;
  options: ConnectOptions;
  /** So long a heartbeat may take while the database is lost. */
  limitMs: number;
  log?: Pick<Logger, "warn"> | undefined;
}

const againMs = 1_000;

/**
 * The driver looks after its server with heartbeats, one after the other. When a database dies, one
 * of them can be written to a socket that is destroyed and not yet closed: the driver (mongodb 7.8)
 * then waits for ever, and never finds the database that is back. A heartbeat that has no end while
 * no server is known is taken for that, and the connection is made anew; a database that is only
 * slow is still known. Returns the function that ends the watch.
 */
export function watchHeartbeats(connection: Connection, watch: Watch): () => void {
  const { uri, options, limitMs, log } = watch;
  const timers = new Map<string, NodeJS.Timeout>();
  const state = { ended: false };
  const forget = ({ connectionId }: { connectionId: string }): void => {
    clearTimeout(timers.get(connectionId));
    timers.delete(connectionId);
  };
  const forgetAll = (): void => {
    for (const timer of timers.values()) {
      clearTimeout(timer);
    }
    timers.clear();
  };
  const renew = async (): Promise<void> => {
    forgetAll();
    await connection.close().catch(() => {});
    while (!state.ended) {
      try {
        await connection.openUri(uri, options);
        listen();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    }
  };
  const listen = (): void => {
    const client = connection.getClient();
    // One member of a replica set that is away is the driver's business.
    let isBlind = false;
    client.on("topologyDescriptionChanged", ({ newDescription: { servers } }) => {
      isBlind = [...servers.values()].every(({ type }) => type === "Unknown");
    });
    const look = (connectionId: string): void => {
      const judge = (): void => {
        if (!isBlind) {
          return look(connectionId);
        }
        log?.warn("The driver lost sight of the database: it is connected anew");
        void renew();
      };
      timers.set(connectionId, setTimeout(judge, limitMs).unref());
    };
    client.on("serverHeartbeatStarted", ({ connectionId, awaited }) => {
      forget({ connectionId });
      // What is awaited has a limit that the driver watches on another connection.
      if (!state.ended && !awaited && client === connection.getClient()) {
        look(connectionId);
      }
    });
    client.on("serverHeartbeatSucceeded", forget);
    client.on("serverHeartbeatFailed", forget);
  };
  listen();
  return () => {
    state.ended = true;
    forgetAll();
  };
}
