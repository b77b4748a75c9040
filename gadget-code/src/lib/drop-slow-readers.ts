import type { Namespace } from "socket.io";
import { rawConnection } from "./raw-connection.ts";

const checkMs = 1_000;
/** What may wait for one page or drone in this server's memory. */
const mostWaiting = 16_000_000;

/**
 * Closes the connections of pages and drones that don't read. Such a one reconnects when it wakes
 * up: a page gets what it missed from the log, by number, and a drone says hello with what it has,
 * so that nothing has to wait here for it.
 */
export function dropSlowReaders(namespaces: readonly Pick<Namespace, "sockets">[]): () => void {
  const timer = setInterval(() => {
    for (const socket of namespaces.flatMap(({ sockets }) => [...sockets.values()])) {
      const connection = rawConnection(socket);
      if (connection.waiting() > mostWaiting) {
        connection.terminate();
      }
    }
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}
