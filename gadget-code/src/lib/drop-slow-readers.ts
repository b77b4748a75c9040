import type { IdeNamespace } from "./namespaces.ts";
import { rawConnection } from "./raw-connection.ts";

const checkMs = 1_000;
/** What may wait for one page in this server's memory. */
const mostWaiting = 16_000_000;

/**
 * Closes the connections of pages that don't read. Such a page reconnects when it wakes up and
 * gets what it missed from the log, by number, so that nothing has to wait here for it.
 */
export function dropSlowReaders(ide: IdeNamespace): () => void {
  const timer = setInterval(() => {
    for (const socket of ide.sockets.values()) {
      const connection = rawConnection(socket);
      if (connection.waiting() > mostWaiting) {
        connection.terminate();
      }
    }
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}
