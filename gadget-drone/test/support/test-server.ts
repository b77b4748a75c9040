import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type AbortAnswer,
  ask,
  type ClientToServerEvents,
  type CommandHandlers,
  DroneAuth,
  DroneId,
  droneCommands,
  droneNamespace,
  type Hello,
  type HelloVerdict,
  newId,
  RefusalError,
  type ServerToClientEvents,
  serve,
  serverOrders,
  type TurnId,
  UserId,
  type WorkOrder,
} from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { Server, type Socket } from "socket.io";
import { OrderServer, type Orders } from "./order-server.ts";

type DroneSocket = Socket<ClientToServerEvents<"drone">, ServerToClientEvents<"drone">>;

export const droneId = newId(DroneId);
export const credential = "test-credential-0123456789";
const person = { id: newId(UserId), name: "Ada" };

/** The server's side of the drone's protocol, on the same tables: stores what a drone sends. */
export class TestServer extends OrderServer {
  readonly person = person;
  readonly hellos: Hello[];
  readonly problems: unknown[] = [];
  heartbeats = 0;
  /** What each hello is told of a turn; by default that it goes on. */
  verdict: (turnId: TurnId) => HelloVerdict["verdict"] = () => "continue";
  heartbeatAborts: TurnId[] = [];
  heartbeatMs = 10_000;
  /** Called before a hello is answered. */
  onHello = () => {};
  /** While false nothing is acknowledged: the events are lost. */
  stores = true;
  refusesCredential = false;
  readonly #http: HttpServer;
  readonly #io: Server;
  #socket: DroneSocket | undefined;
  #port = 0;

  private constructor(before?: TestServer) {
    super(before?.turns);
    this.hellos = before?.hellos ?? [];
    this.#http = createServer((request, response) => {
      if (request.url !== "/api/v1/drones/enroll") {
        return void response.writeHead(404).end();
      }
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => {
        const asked = JSON.parse(body) as { code: string; name: string; host: string };
        const good = asked.code === "good-code-123";
        const refusal = new RefusalError("not_found", "This code is not valid any more.");
        const drone = {
          id: droneId,
          name: asked.name,
          status: "offline",
          host: asked.host,
          version: "",
          labels: [],
          running: 0,
          capacity: 4,
          lastSeenAt: null,
          shared: false,
          mine: true,
        };
        response.writeHead(good ? 201 : 404, { "content-type": "application/json" });
        response.end(JSON.stringify(good ? { drone, credential } : refusal.toWire()));
      });
    });
    this.#io = new Server(this.#http, {
      transports: ["websocket"],
      serveClient: false,
      maxHttpBufferSize: 4_000_000,
    });
    const namespace = this.#io.of(droneNamespace);
    namespace.use((socket, next) => {
      const auth = DroneAuth.safeParse(socket.handshake.auth);
      if (auth.success && auth.data.credential === credential && !this.refusesCredential) {
        next();
      } else {
        const data = new RefusalError("unauthenticated", "This drone was revoked.").toWire();
        next(Object.assign(new Error("refused"), { data }));
      }
    });
    namespace.on("connection", (socket: DroneSocket) => {
      this.#socket = socket;
      serve(socket, droneCommands, this.#handlers(), (event, error) =>
        this.problems.push({ event, error }),
      );
    });
  }

  static async start(): Promise<TestServer> {
    const server = new TestServer();
    await server.#listen(0);
    return server;
  }

  /** A new process on the same port with what the old one had stored. */
  async restarted(): Promise<TestServer> {
    const server = new TestServer(this);
    await server.#listen(this.#port);
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async #listen(port: number): Promise<void> {
    this.#http.listen(port, "127.0.0.1");
    await once(this.#http, "listening");
    this.#port = (this.#http.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    await this.#io.close();
  }

  /** Breaks the connection without a word; the drone will dial again. */
  cut(): void {
    this.#socket?.conn.close();
  }

  async prepare(): Promise<void> {}

  /** As the server does it: the turn is held before its drone is asked. */
  async submit(order: WorkOrder): Promise<boolean> {
    this.hold(order);
    return (await this.ask("processWorkOrder", [order])).accepted;
  }

  abort(turnId: TurnId): Promise<AbortAnswer> {
    return this.ask("abortWorkOrder", [turnId]);
  }

  ask<Name extends keyof Orders>(
    name: Name,
    args: Parameters<Orders[Name]>,
  ): Promise<Awaited<ReturnType<Orders[Name]>>> {
    if (this.#socket === undefined) {
      throw new Error("No drone is connected");
    }
    return ask(this.#socket, serverOrders, name, args as never, 10_000) as never;
  }

  greeted(times = 1): Promise<Hello> {
    return eventually(`hello number ${times}`, () => this.hellos[times - 1]);
  }

  #handlers(): CommandHandlers<typeof droneCommands> {
    return {
      hello: (hello) => {
        this.hellos.push(hello);
        this.onHello();
        const turns = [...hello.running, ...(hello.tails ?? [])].map(({ turnId }) => ({
          turnId,
          verdict: this.turns.has(turnId) ? this.verdict(turnId) : ("kill" as const),
          storedSeq: this.#storedSeq(turnId),
        }));
        const { heartbeatMs } = this;
        return { protocol: 1, serverTime: new Date().toISOString(), heartbeatMs, turns };
      },
      heartbeat: () => {
        this.heartbeats += 1;
        return { abort: this.heartbeatAborts, kill: [] };
      },
      turnEvents: ({ turnId, epoch, events }) => {
        const held = this.turns.get(turnId);
        if (!this.stores) {
          throw new RefusalError("unavailable");
        }
        if (held === undefined || held.order.epoch !== epoch) {
          return { storedSeq: 0, lost: true };
        }
        for (const event of events) {
          if (event.seq !== this.#storedSeq(turnId) + 1) {
            continue;
          }
          this.keep(turnId, event);
        }
        return { storedSeq: this.#storedSeq(turnId) };
      },
      workOrderComplete: (turnId, success, message) => {
        if (!this.stores) {
          throw new RefusalError("unavailable");
        }
        this.complete(turnId, success, message);
        return {};
      },
      getHistory: ({ cursor }) => {
        const text = `older page ${cursor}`;
        return { messages: [{ role: "user", text }], cursor: null };
      },
    };
  }

  #storedSeq(turnId: TurnId): number {
    const held = this.turns.get(turnId);
    return held?.events.at(-1)?.seq ?? (held?.order.nextSeq ?? 1) - 1;
  }
}
