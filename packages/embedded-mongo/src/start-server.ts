import { randomBytes } from "node:crypto";
import { EmbeddedServer } from "./embedded-server.ts";
import { makeRuntimeFolder, removeRuntimeFolder, socketIn } from "./runtime-folder.ts";

interface StartOptions {
  dataDir: string;
  port?: number | undefined;
  ttlIntervalSeconds: number;
  onError: (error: unknown) => void;
}

export interface RunningServer {
  uri: string;
  stop(): Promise<void>;
}

/** Starts a server in this thread, on a port or on a socket in a runtime folder of its own. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { dataDir, port, ttlIntervalSeconds, onError } = options;
  const folder =
    port === undefined && process.platform !== "win32" ? await makeRuntimeFolder() : undefined;
  const address =
    folder === undefined
      ? { port: port ?? 0 }
      : { socketPath: socketIn(folder), secret: newSecret() };
  try {
    const server = await EmbeddedServer.start({ dataDir, address, ttlIntervalSeconds, onError });
    const { lock } = server.engine.store;
    if (lock.leftover !== undefined) {
      await removeRuntimeFolder(lock.leftover);
    }
    lock.remember(folder ?? "");
    return {
      uri: server.uri,
      stop: async () => {
        await server.stop();
        if (folder !== undefined) {
          await removeRuntimeFolder(folder);
        }
      },
    };
  } catch (error) {
    if (folder !== undefined) {
      await removeRuntimeFolder(folder);
    }
    throw error;
  }
}

/** New at every start, and only in the memory of the process that starts the server. */
function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
