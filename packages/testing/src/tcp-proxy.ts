import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A way to a server that can be cut or stalled, as networks are. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #targetPort: () => number;
  #state: "open" | "cut" | "stalled" = "open";

  private constructor(targetPort: () => number) {
    this.#targetPort = targetPort;
    this.#server = createServer((near) => this.#join(near));
  }

  static async start(targetPort: () => number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Closes what is open, and whatever comes, until it is opened again. */
  cut(): void {
    this.#state = "cut";
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  /** Nothing passes, and nobody is told. */
  stall(): void {
    this.#state = "stalled";
    for (const socket of this.#sockets) {
      socket.pause();
    }
  }

  open(): void {
    this.#state = "open";
    for (const socket of this.#sockets) {
      socket.resume();
    }
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(near: Socket): void {
    if (this.#state === "cut") {
      near.destroy();
      return;
    }
    const far = connect(this.#targetPort(), "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("data", (data) => {
        if (!other.write(data)) {
          socket.pause();
          other.once("drain", () => {
            if (this.#state === "open") {
              socket.resume();
            }
          });
        }
      });
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      if (this.#state === "stalled") {
        socket.pause();
      }
    }
  }
}
