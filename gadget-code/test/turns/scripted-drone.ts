import {
  type AbortAnswer,
  ask,
  type ClientToServerEvents,
  type CommandHandlers,
  DroneId,
  droneCommands,
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

const answerMs = 5_000;

interface Held {
  order: WorkOrder;
  nextSeq: number;
}

/** The other end of a drone's socket, played by the test: it does only what it is told. */
export class ScriptedDrone {
  readonly id: DroneId;
  instanceId = newId(InstanceId);
  readonly held = new Map<TurnId, Held>();
  readonly aborted: TurnId[] = [];
  readonly killed: TurnId[] = [];
  /** How an order and an abort are answered; tests replace them. */
  accept: (order: WorkOrder) => boolean | Promise<boolean> = () => true;
  onAbort: (turnId: TurnId) => AbortAnswer | Promise<AbortAnswer> = (turnId) => ({
    success: this.held.has(turnId),
    message: this.held.has(turnId) ? "Abort signaled" : "No active work order to abort",
  });
  /** As its hello says it; undefined: a drone that does not speak of it. */
  begun: Hello["begun"] = [];
  readonly #url: string;
  readonly #credential: string;
  readonly #waiters: ((order: WorkOrder) => void)[] = [];
  readonly #arrived: WorkOrder[] = [];
  #socket: Socket<ServerToClientEvents<"drone">, ClientToServerEvents<"drone">> | undefined;

  constructor(url: string, id: string, credential: string) {
    this.#url = url;
    this.id = DroneId.parse(id);
    this.#credential = credential;
  }

  /** Connects and says hello with what it holds. */
  async connect(instanceId = this.instanceId, tails?: Hello["tails"]): Promise<HelloAnswer> {
    const socket = io(`${this.#url}/drone`, {
      transports: ["websocket"],
      forceNew: true,
      reconnection: false,
      auth: { droneId: this.id, credential: this.#credential, protocol: ownProtocol },
    });
    this.#socket = socket;
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("connect_error", reject);
    });
    serve(socket, serverOrders, this.#handlers(), (_event, error) => {
      throw error;
    });
    return ask(socket, droneCommands, "hello", [this.hello(instanceId, tails)], answerMs);
  }

  /** Says hello once more, on the connection that it has. */
  greet(): Promise<HelloAnswer> {
    return this.#ask("hello", [this.hello()]);
  }

  /** What it says of itself. */
  hello(instanceId = this.instanceId, tails?: Hello["tails"]): Hello {
    const running = [...this.held.values()].map(({ order, nextSeq }) => ({
      turnId: order.turnId,
      epoch: order.epoch,
      lastSeq: nextSeq - 1,
    }));
    return {
      instanceId,
      protocol: ownProtocol,
      version: "1.0.0",
      host: "test",
      capacity: 100,
      abilities: {
        git: true,
        ripgrep: true,
        supervisor: "subreaper" as const,
        platform: "linux",
        compacts: true,
      },
      roots: [],
      running,
      ...(tails && { tails }),
      ...(this.begun && { begun: this.begun }),
    };
  }

  /** The same process of the same drone, at another node. */
  movedTo(url: string): ScriptedDrone {
    const drone = new ScriptedDrone(url, this.id, this.#credential);
    drone.instanceId = this.instanceId;
    return drone;
  }

  disconnect(): void {
    this.#socket?.disconnect();
  }

  heartbeat() {
    return this.#ask("heartbeat", [{ running: [...this.held.keys()] }]);
  }

  history(turnId: TurnId, cursor: string) {
    return this.#ask("getHistory", [{ turnId, cursor }]);
  }

  /** The next order that this drone accepted. */
  order(): Promise<WorkOrder> {
    const early = this.#arrived.shift();
    if (early !== undefined) {
      return Promise.resolve(early);
    }
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Orders that nobody asked for with `order()`. */
  forgetOrders(): void {
    this.#arrived.length = 0;
  }

  /** Numbers and sends events, as a drone's outbox does. */
  send(turnId: TurnId, ...bodies: TurnEventBody[]) {
    const held = this.held.get(turnId);
    if (held === undefined) {
      throw new Error("the drone does not hold this turn");
    }
    const events = bodies.map((body): TurnEvent => {
      const seq = held.nextSeq;
      held.nextSeq += 1;
      const at = new Date().toISOString();
      return { turnId, seq, epoch: held.order.epoch, at, ...body };
    });
    return this.sendEvents(turnId, held.order.epoch, events);
  }

  sendEvents(turnId: TurnId, epoch: number, events: TurnEvent[]) {
    return this.#ask("turnEvents", [{ turnId, epoch, events }]);
  }

  async complete(turnId: TurnId, success: boolean, message?: string): Promise<void> {
    await this.#ask("workOrderComplete", [turnId, success, message]);
    this.held.delete(turnId);
  }

  #ask<Name extends keyof typeof droneCommands>(
    name: Name,
    args: Parameters<CommandHandlers<typeof droneCommands>[Name]>,
  ) {
    if (this.#socket === undefined) {
      throw new Error("not connected");
    }
    return ask(this.#socket, droneCommands, name, args as never, answerMs);
  }

  #handlers(): CommandHandlers<typeof serverOrders> {
    const refuse = (): never => {
      throw new RefusalError("unavailable", "A scripted drone can't do this.");
    };
    return {
      processWorkOrder: async (order) => {
        if (!(await this.accept(order))) {
          return { accepted: false };
        }
        this.held.set(order.turnId, { order, nextSeq: order.nextSeq });
        const waiter = this.#waiters.shift();
        if (waiter === undefined) {
          this.#arrived.push(order);
        } else {
          waiter(order);
        }
        return { accepted: true };
      },
      abortWorkOrder: (turnId) => {
        this.aborted.push(turnId);
        return this.onAbort(turnId);
      },
      killWorkOrder: ({ turnId }) => {
        this.killed.push(turnId);
        return {};
      },
      finishWorkOrder: () => ({}),
      deliverMessage: () => ({}),
      answerQuestion: () => ({}),
      answerApproval: () => ({}),
      cancelTool: () => ({}),
      setApproval: () => ({}),
      drain: () => ({}),
      stopBackground: () => ({ stopped: { afterMs: 0, processes: 0, left: 0 } }),
      listBackground: () => ({ commands: [] }),
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
    };
  }
}
