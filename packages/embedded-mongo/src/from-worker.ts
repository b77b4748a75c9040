/** What the worker is started with. */
export interface WorkerOptions {
  dataDir: string;
  /** Undefined: a unix socket where there are any, else a random port. */
  port: number | undefined;
  ttlIntervalSeconds: number;
}

export type FromWorker =
  | { kind: "ready"; uri: string }
  | { kind: "failed"; message: string }
  | { kind: "error"; message: string; stack: string | undefined }
  | { kind: "stopped" };

export const stopMessage = "stop";
