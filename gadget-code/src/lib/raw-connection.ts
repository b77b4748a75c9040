import type { Socket } from "socket.io";

/** What lies under a socket, as far as engine.io and ws let it be seen. */
export interface RawConnection {
  /** Bytes and characters that wait for the other side to read. */
  waiting(): number;
  /** Ends it now: a polite close would wait for the other side, for up to 30 s. */
  terminate(): void;
}

export function rawConnection({ conn }: Pick<Socket, "conn">): RawConnection {
  const websocket: unknown = Reflect.get(conn.transport, "socket");
  return {
    waiting() {
      // The websocket has one flush; what came after it waits in engine.io's own buffer.
      const flush = numberOf(websocket, "bufferedAmount");
      const packets: unknown = Reflect.get(conn, "writeBuffer");
      if (!Array.isArray(packets)) {
        return flush;
      }
      return packets.reduce<number>((sum, packet) => sum + lengthOf(packet), flush);
    },
    terminate() {
      const end: unknown = isObject(websocket) ? Reflect.get(websocket, "terminate") : undefined;
      if (typeof end === "function") {
        Reflect.apply(end, websocket, []);
      }
    },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function numberOf(value: unknown, key: string): number {
  const found: unknown = isObject(value) ? Reflect.get(value, key) : undefined;
  return typeof found === "number" ? found : 0;
}

function lengthOf(packet: unknown): number {
  const data: unknown = isObject(packet) ? Reflect.get(packet, "data") : undefined;
  return typeof data === "string" ? data.length : numberOf(data, "byteLength");
}
