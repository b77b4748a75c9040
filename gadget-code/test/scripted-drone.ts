import {
  ask,
  type ClientToServerEvents,
  type CommandHandlers,
  type DroneId,
  droneCommands,
  droneNamespace,
  type Hello,
  type HelloAnswer,
  InstanceId,
  newId,
  ownProtocol,
  RefusalError,
  type ServerToClientEvents,
  serve,
  serverOrders,
  type TurnEvent,
  type TurnEventBody,
  type TurnId,
  type WorkOrder,
} from "@gadget/api";
import { io, type Socket } from "socket.io-client";
import type { Person } from "./person.ts";
import type { TestServer } from "./server.ts";

type Orders = CommandHandlers<typeof serverOrders>;
export type ScriptedSocket = Socket<ServerToClientEvents<"drone">, ClientToServerEvents<"drone">>;

export interface DroneScript {
  orders?: Partial<Orders>;
  name?: string;
  capacity?: number;
  roots?: string[];
}

const answerMs = 5_000;

/** A drone's side of the protocol, played by a test: orders that it has no script for are refused. */
export class ScriptedDrone {
  readonly id: DroneId;
  readonly credential: string;
  readonly instanceId = newId(InstanceId);
  readonly received: WorkOrder[] = [];
  readonly socket: ScriptedSocket;
  readonly #script: DroneScript;
  readonly #seqs = new Map<TurnId, number>();
  readonly #waiting = new Set<() => void>();

  constructor(url: string, id: DroneId, credential: string, script: DroneScript = {}) {
    this.id = id;
    this.credential = credential;
    this.#script = script;
    this.socket = io(url + droneNamespace, {
      transports: ["websocket"],
      autoConnect: false,
      reconnection: false,
      forceNew: true,
      auth: { droneId: id, credential, protocol: ownProtocol },
    });
    serve(this.socket, serverOrders, this.#orders(), () => {});
  }

  /** Connects and says hello; with `running`, what it goes on with. */
  async connect(running: Hello["running"] = []): Promise<HelloAnswer> {
    const connected = new Promise<void>((resolve, reject) => {
      this.socket.once("connect", resolve);
      this.socket.once("connect_error", reject);
    });
    this.socket.connect();
    await connected;
    return this.greet(running);
  }

  /** Says hello, on the connection that it has; with `said`, it says that of itself. */
  greet(
    running: Hello["running"] = [],
    timeoutMs = answerMs,
    said: Partial<Hello> = {},
  ): Promise<HelloAnswer> {
    const { capacity = 4, roots = ["/srv"], name = "scripted" } = this.#script;
    const hello: Hello = {
      instanceId: this.instanceId,
      protocol: ownProtocol,
      version: "0.0.0-test",
      host: name,
      capacity,
      abilities: { git: true, ripgrep: true, supervisor: "subreaper", platform: "linux" },
      roots,
      running,
      ...said,
    };
    return ask(this.socket, droneCommands, "hello", [hello], timeoutMs);
  }

  /** The order for this turn, as soon as it comes. */
  async order(turnId: TurnId): Promise<WorkOrder> {
    for (;;) {
      const order = this.received.find((received) => received.turnId === turnId);
      if (order !== undefined) {
        return order;
      }
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Numbers and sends events of a turn that it holds. */
  send(turnId: TurnId, ...bodies: TurnEventBody[]) {
    const order = this.received.find((received) => received.turnId === turnId);
    const epoch = order?.epoch ?? 0;
    let seq = this.#seqs.get(turnId) ?? (order?.nextSeq ?? 1) - 1;
    const events = bodies.map((body): TurnEvent => {
      seq += 1;
      return { turnId, seq, epoch, at: new Date().toISOString(), ...body };
    });
    this.#seqs.set(turnId, seq);
    return ask(this.socket, droneCommands, "turnEvents", [{ turnId, epoch, events }], answerMs);
  }

  complete(turnId: TurnId, success: boolean, message?: string) {
    const args: [TurnId, boolean, string?] =
      message === undefined ? [turnId, success] : [turnId, success, message];
    return ask(this.socket, droneCommands, "workOrderComplete", args, answerMs);
  }

  /** Resolves when the connection is gone, whoever closed it. */
  async closed(): Promise<void> {
    if (!this.socket.connected) {
      return;
    }
    await new Promise<void>((resolve) => void this.socket.once("disconnect", () => resolve()));
  }

  close(): void {
    this.socket.disconnect();
  }

  #orders(): Orders {
    const refuse = (): never => {
      throw new RefusalError("unavailable", "The test's drone has no script for this.");
    };
    return {
      processWorkOrder: (order) => {
        this.received.push(order);
        for (const wake of this.#waiting) {
          wake();
        }
        this.#waiting.clear();
        return { accepted: true };
      },
      abortWorkOrder: () => ({ success: true, message: "Abort signaled" }),
      finishWorkOrder: refuse,
      deliverMessage: refuse,
      answerQuestion: refuse,
      answerApproval: refuse,
      cancelTool: refuse,
      setApproval: refuse,
      killWorkOrder: () => ({}),
      drain: () => ({}),
      listFolders: refuse,
      readWorkspace: refuse,
      findFiles: refuse,
      describeWorkspace: refuse,
      workspaceDiff: refuse,
      startClone: refuse,
      cloneState: refuse,
      cancelClone: refuse,
      cancelRequest: () => ({}),
      turnDiff: refuse,
      undoTurn: refuse,
      listModels: refuse,
      testProvider: refuse,
      listBackground: () => ({ commands: [] }),
      stopBackground: () => ({ stopped: { afterMs: 0, processes: 0, left: 0 } }),
      ...this.#script.orders,
    };
  }
}

/** Enrols a drone for this person, over REST, and connects it. */
export async function connectDrone(
  server: Pick<TestServer, "url">,
  person: Person,
  script: DroneScript = {},
): Promise<ScriptedDrone> {
  const { code } = await person.ask("createEnrollment");
  const name = script.name ?? "scripted";
  const { drone, credential } = await person.ask("enrollDrone", {
    body: { code, name, host: name },
  });
  const scripted = new ScriptedDrone(server.url, drone.id, credential, script);
  await scripted.connect();
  return scripted;
}
