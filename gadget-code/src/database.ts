import { startEmbeddedMongo } from "@gadget/embedded-mongo";
import mongoose, { type Connection } from "mongoose";
import { type Config, ConfigError, databaseFolder } from "./config.ts";
import { ensureIndexes, type Models, openModels } from "./models/models.ts";

export interface Database {
  connection: Connection;
  models: Models;
  close(): Promise<void>;
}

/** MongoDB where `MONGODB_URI` points; else the embedded server, in the data folder. */
export async function openDatabase(config: Config): Promise<Database> {
  const embedded =
    config.mongodbUri === undefined
      ? await startEmbeddedMongo({ dataDir: databaseFolder(config) })
      : undefined;
  const uri = config.mongodbUri ?? embedded?.uri ?? "";
  const connection = mongoose.createConnection(uri, {
    serverSelectionTimeoutMS: 5_000,
    autoCreate: true,
    // Else an absent optional field would come back as null.
    ignoreUndefined: true,
  });
  try {
    await connection.asPromise();
  } catch (error) {
    await embedded?.stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The database can't be reached: ${reason}. Check MONGODB_URI.`);
  }
  const models = openModels(connection);
  await ensureIndexes(models);
  return {
    connection,
    models,
    async close() {
      await connection.close();
      await embedded?.stop();
    },
  };
}
