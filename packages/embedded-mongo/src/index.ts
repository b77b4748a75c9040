import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { type FromWorker, stopMessage, type WorkerOptions } from "./from-worker.ts";
import { makeFolder } from "./storage/make-folder.ts";

export { isDiskFull } from "./storage/room.ts";

export interface EmbeddedMongoOptions {
  /** Where the data is kept. One process at a time may have it. */
  dataDir: string;
  /** A port on 127.0.0.1 (0: any free one). Without it: a unix socket only this user can reach. */
  port?: number;
  /** How often TTL indexes are applied. */
  ttlIntervalSeconds?: number;
  /** Told of failures inside the database that no client was told of in full. */
  onError?: (error: Error) => void;
  /** Aborted: the database stops, or does not start. */
  signal?: AbortSignal;
}

export interface EmbeddedMongo {
  /** For `mongoose.connect(uri)` and `new MongoClient(uri)`. */
  uri: string;
  /** Resolves when all is on disk and the folder is free. */
  stop(): Promise<void>;
  /** Resolves when the database has ended, also if nobody stopped it. */
  exited: Promise<void>;
}

/** Documents are short-lived: a small nursery is collected more often and keeps memory low. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** Folders in use by this process: the lock on a folder only tells processes apart. */
const ownFolders = new Set<string>();

/** Starts the database in a worker thread. Resolves when it accepts connections. */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const { port, ttlIntervalSeconds = 60, onError = () => {}, signal } = options;
  signal?.throwIfAborted();
  makeFolder(options.dataDir);
  const dataDir = realpathSync(options.dataDir);
  if (ownFolders.has(dataDir)) {
    throw new Error(`The data folder ${dataDir} is in use by this process already.`);
  }
  ownFolders.add(dataDir);
  const worker = startWorker({ dataDir, port, ttlIntervalSeconds });
  const exited = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      ownFolders.delete(dataDir);
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    worker.postMessage(stopMessage, []);
    await exited;
  };
  const abort = (): void => void stop();

  const uri = await new Promise<string>((resolve, reject) => {
    worker.on("message", (message: FromWorker) => {
      if (message.kind === "ready") {
        resolve(message.uri);
      } else if (message.kind === "failed") {
        reject(new Error(message.message));
      } else if (message.kind === "error") {
        onError(errorOf(message));
      }
    });
    worker.on("error", (error) => {
      onError(error);
      reject(error);
    });
    void exited.then(() => reject(new Error("The embedded database ended before it was ready.")));
  }).catch(async (error: unknown) => {
    // Only then is the folder free for another try.
    await exited;
    throw error;
  });
  if (signal?.aborted === true) {
    await stop();
    signal.throwIfAborted();
  }
  signal?.addEventListener("abort", abort, { once: true });
  return {
    uri,
    exited,
    stop: async () => {
      signal?.removeEventListener("abort", abort);
      await stop();
    },
  };
}

function errorOf({ message, stack }: { message: string; stack: string | undefined }): Error {
  const error = new Error(message);
  if (stack !== undefined) {
    error.stack = stack;
  }
  return error;
}

/** From a bundle the worker is the file beside it, from source it is TypeScript. */
function startWorker(workerData: WorkerOptions): Worker {
  const bundled = new URL("./embedded-mongo-worker.mjs", import.meta.url);
  const options = { workerData, resourceLimits: resourceLimits };
  if (existsSync(fileURLToPath(bundled))) {
    return new Worker(bundled, options);
  }
  const api = createRequire(import.meta.url)
    .resolve("tsx/esm/api")
    .replace(/\.cjs$/, ".mjs");
  const tsx = pathToFileURL(api).href;
  const source = new URL("./worker.ts", import.meta.url).href;
  // A worker's own --import comes too late for its entry on Node 20, so the entry registers tsx.
  const entry = `import * as tsx from ${JSON.stringify(tsx)};
    tsx.register();
    await import(${JSON.stringify(source)});`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(entry)}`), options);
}
