import type { IdeNamespace } from "./socket-publisher.ts";

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
      if (waitingFor(socket.conn.transport) > mostWaiting) socket.disconnect(true);
    }
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The websocket's own count: engine.io's write buffer is empty as soon as it is handed over. */
function waitingFor(transport: object): number {
  const websocket: unknown = Reflect.get(transport, "socket");
  if (typeof websocket !== "object" || websocket === null) return 0;
  const amount: unknown = Reflect.get(websocket, "bufferedAmount");
  return typeof amount === "number" ? amount : 0;
}
