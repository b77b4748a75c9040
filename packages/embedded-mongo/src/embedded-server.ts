import { createServer, type Server, type Socket } from "node:net";
import { Engine } from "./engine.ts";
import { expireDocuments } from "./expire-documents.ts";
import { serveConnection } from "./wire/connection.ts";
import { loginName } from "./wire/login.ts";

/** A socket asks for the secret; a port of this machine lets everybody in. */
export type Address = { socketPath: string; secret: string } | { port: number };

export interface ServerOptions {
  dataDir: string;
  address: Address;
  ttlIntervalSeconds: number;
  onError: (error: unknown) => void;
}

const loopback = "127.0.0.1";

/** The engine behind a socket. */
export class EmbeddedServer {
  readonly engine: Engine;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #expiry: Promise<void>;
  readonly #secret: string | undefined;

  constructor(engine: Engine, { address, ttlIntervalSeconds }: ServerOptions) {
    this.engine = engine;
    this.#secret = "secret" in address ? address.secret : undefined;
    let connections = 0;
    this.#server = createServer((socket) => {
      connections += 1;
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      serveConnection(socket, engine, connections, this.#secret);
    });
    this.#expiry = expireDocuments(engine, ttlIntervalSeconds);
  }

  static async start(options: ServerOptions): Promise<EmbeddedServer> {
    const engine = new Engine(options.dataDir, options.onError);
    const server = new EmbeddedServer(engine, options);
    try {
      await engine.upgrade();
      await server.#listen(options.address);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  async #listen(address: Address): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (error) => reject(listenFailure(error, address)));
      if ("socketPath" in address) {
        this.#server.listen(address.socketPath, resolve);
      } else {
        this.#server.listen(address.port, loopback, resolve);
      }
    });
    this.#server.removeAllListeners("error");
    this.#server.on("error", (error) => this.engine.report(error));
  }

  get uri(): string {
    const address = this.#server.address();
    if (address === null) {
      throw new Error("the server is not listening");
    }
    const host =
      typeof address === "string" ? encodeURIComponent(address) : `${loopback}:${address.port}`;
    const login = this.#secret === undefined ? "" : `${loginName}:${this.#secret}@`;
    const how = this.#secret === undefined ? "" : "&authMechanism=PLAIN&authSource=%24external";
    return `mongodb://${login}${host}/gadget?directConnection=true${how}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const closing = this.engine.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await closed;
    await closing;
    await this.#expiry;
  }
}

/** The failures to listen that a person can do something about, in a sentence. */
function listenFailure(error: Error, address: Address): Error {
  const code = "code" in error ? error.code : undefined;
  if (!("port" in address)) {
    return error;
  }
  const { port } = address;
  if (code === "EADDRINUSE") {
    return new Error(`Port ${port} is in use: stop what listens there, or give another port.`);
  }
  if (code === "EACCES") {
    return new Error(
      `Port ${port} can't be listened on without more rights: give a port above 1023.`,
    );
  }
  return error;
}
