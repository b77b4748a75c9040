import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const writes = new Set(["insert", "update", "delete", "findAndModify"]);
const opMsg = 2013;

/** A way to a MongoDB server on which every write needs as long as the test says. */
export class SlowDatabase {
  /** How long each write takes that begins from now on. */
  writeMs = 0;
  /** Writes that were held up. */
  held = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #targetPort: number;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((near) => this.#join(near));
  }

  /** `uri`: of the server itself. */
  static async start(uri: string): Promise<SlowDatabase> {
    const database = new SlowDatabase(Number(new URL(uri).port));
    database.#server.listen(0, "127.0.0.1");
    await once(database.#server, "listening");
    return database;
  }

  get uri(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `mongodb://127.0.0.1:${port}/gadget?directConnection=true`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(near: Socket): void {
    const far = connect(this.#targetPort, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    far.on("data", (data) => near.write(data));
    let bytes = Buffer.alloc(0);
    // One connection's messages stay in their order.
    let before = Promise.resolve();
    near.on("data", (data) => {
      bytes = Buffer.concat([bytes, data]);
      while (bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0)) {
        const message = bytes.subarray(0, bytes.readInt32LE(0));
        bytes = bytes.subarray(message.length);
        before = before.then(() => this.#pass(message, far));
      }
    });
  }

  async #pass(message: Buffer, far: Socket): Promise<void> {
    if (this.writeMs > 0 && writes.has(commandOf(message))) {
      this.held += 1;
      await delay(this.writeMs, undefined, { ref: false });
    }
    far.write(message);
  }
}

/** The command's name is the first key of the message's body. */
function commandOf(message: Buffer): string {
  if (message.readInt32LE(12) !== opMsg || message[20] !== 0) return "";
  const start = 26;
  return message.toString("latin1", start, message.indexOf(0, start));
}
