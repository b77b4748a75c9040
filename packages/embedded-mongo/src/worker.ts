import { parentPort, workerData } from "node:worker_threads";
import { type FromWorker, stopMessage, type WorkerOptions } from "./from-worker.ts";
import { startServer } from "./start-server.ts";

if (parentPort === null) {
  throw new Error("This file runs in a worker thread.");
}
const parent = parentPort;
const options: WorkerOptions = workerData;

const tell = (message: FromWorker): void => parent.postMessage(message, []);
const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

try {
  const server = await startServer({
    ...options,
    onError: (error) =>
      tell({
        kind: "error",
        message: messageOf(error),
        stack: error instanceof Error ? error.stack : undefined,
      }),
  });
  parent.on("message", (message: unknown) => {
    if (message !== stopMessage) {
      return;
    }
    void server
      .stop()
      .catch((error: unknown) => tell({ kind: "failed", message: messageOf(error) }))
      .finally(() => {
        tell({ kind: "stopped" });
        parent.close();
      });
  });
  tell({ kind: "ready", uri: server.uri });
} catch (error) {
  tell({ kind: "failed", message: messageOf(error) });
  parent.close();
}
