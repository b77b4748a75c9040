import { isDiskFull, startEmbeddedMongo } from "@gadget/embedded-mongo";
import mongoose, { type Connection } from "mongoose";
import type { Logger } from "pino";
import { type Config, ConfigError, databaseFolder } from "./config.ts";
import { ensureIndexes, type Models, openModels } from "./models/models.ts";
import { watchHeartbeats } from "./watch-heartbeats.ts";

const connectMs = 5_000;
const heartbeatMs = 3_000;

export interface Database {
  connection: Connection;
  models: Models;
  /** Whether the disk of the embedded database is full: it can be read, and nothing more is kept. */
  isFull(): boolean;
  close(): Promise<void>;
}

export interface DatabaseEvents {
  /** A failure inside the embedded database that no client was told of in full. */
  onError?: (error: Error) => void;
  /** The embedded database has ended, and nobody asked it to. */
  onLost?: () => void;
  log?: Pick<Logger, "warn">;
}

/** MongoDB where `MONGODB_URI` points; else the embedded server, in the data folder. */
export async function openDatabase(
  config: Config,
  { onError = () => {}, onLost = () => {}, log }: DatabaseEvents = {},
): Promise<Database> {
  const embedded =
    config.mongodbUri === undefined
      ? await startEmbeddedMongo({ dataDir: databaseFolder(config), onError })
      : undefined;
  let closing = false;
  void embedded?.exited.then(() => {
    if (!closing) {
      onLost();
    }
  });
  const uri = config.mongodbUri ?? embedded?.uri ?? "";
  const options = {
    serverSelectionTimeoutMS: connectMs,
    connectTimeoutMS: connectMs,
    autoCreate: true,
    // Else an absent optional field would come back as null.
    ignoreUndefined: true,
  };
  const connection = mongoose.createConnection(uri, options);
  try {
    await connection.asPromise();
  } catch (error) {
    closing = true;
    await embedded?.stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The database can't be reached: ${reason}. Check MONGODB_URI.`);
  }
  const stopWatch = watchHeartbeats(connection, { uri, options, limitMs: heartbeatMs, log });
  const models = openModels(connection);
  await ensureIndexes(models);
  return {
    connection,
    models,
    isFull: () => embedded !== undefined && isDiskFull(databaseFolder(config)),
    async close() {
      closing = true;
      stopWatch();
      await connection.close();
      await embedded?.stop();
    },
  };
}
