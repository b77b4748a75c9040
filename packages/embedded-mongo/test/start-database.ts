import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { type EmbeddedMongoOptions, startEmbeddedMongo } from "../src/index.ts";

export interface TestDatabase {
  uri: string;
  client: MongoClient;
  dataDir: string;
  /** Throws if the server had failures that are no client's fault: these are bugs. */
  stop(): Promise<void>;
}

export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "embedded-mongo-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A database of its own, with a connected client. */
export async function startDatabase(
  options: Partial<EmbeddedMongoOptions> = {},
): Promise<TestDatabase> {
  const folder = temporaryFolder();
  const errors: Error[] = [];
  const dataDir = options.dataDir ?? folder.path;
  const server = await startEmbeddedMongo({
    dataDir,
    onError: (error) => errors.push(error),
    ...options,
  });
  const client = new MongoClient(server.uri);
  await client.connect();
  return {
    uri: server.uri,
    client,
    dataDir,
    stop: async () => {
      await client.close();
      await server.stop();
      folder.remove();
      if (errors.length > 0) {
        throw new AggregateError(errors, "failures inside the server");
      }
    },
  };
}
