import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** What stands before the nodes, as a load balancer does: the test says to which one it leads. */
export class Switchboard {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  /** Connections are led to these in turn. */
  #urls: string[] = [];
  #led = 0;
  lastLedTo = "";

  private constructor() {
    this.#server = createServer((near) => {
      const far = connect(this.#next(), "127.0.0.1");
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#open.add(socket);
        socket.on("error", () => other.destroy());
        socket.on("close", () => {
          this.#open.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
  }

  static async start(): Promise<Switchboard> {
    const board = new Switchboard();
    board.#server.listen(0, "127.0.0.1");
    await once(board.#server, "listening");
    return board;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on to this node; with `cut`, those that are connected come back too. */
  leadTo(url: string, cut = false): void {
    this.leadInTurn(url);
    if (cut) {
      for (const socket of this.#open) {
        socket.destroy();
      }
    }
  }

  /** From now on each connection to the next of these nodes. */
  leadInTurn(...urls: string[]): void {
    this.#urls = urls;
  }

  #next(): number {
    this.#led += 1;
    this.lastLedTo = this.#urls[this.#led % this.#urls.length] ?? "";
    return Number(new URL(this.lastLedTo).port);
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) {
      socket.destroy();
    }
    this.#server.close();
    await once(this.#server, "close");
  }
}
