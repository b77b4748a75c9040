import {
  ask,
  type ClientToServerEvents,
  type CommandHandlers,
  type DroneAbilities,
  type DroneAuth,
  droneCommands,
  droneNamespace,
  type Hello,
  type HelloAnswer,
  type InstanceId,
  ownProtocol,
  Refusal,
  RefusalError,
  type ServerToClientEvents,
  serve,
  serverOrders,
  type TurnId,
} from "@gadget/api";
import type { Logger } from "pino";
import { io, type ManagerOptions, type Socket } from "socket.io-client";
import type { Clock } from "./clock.ts";
import type { Credential } from "./link/credential.ts";
import type { Lease } from "./link/lease.ts";
import type { OutboxLink } from "./link/outbox.ts";
import type { Outboxes } from "./link/outboxes.ts";
import type { AskForHistory, ServerHistory } from "./link/server-history.ts";
import type { ServerTime } from "./link/server-time.ts";
import type { Requests } from "./requests/requests.ts";
import type { AgentService } from "./services/agent.ts";

export type DroneSocket = Socket<ServerToClientEvents<"drone">, ClientToServerEvents<"drone">>;
type Orders = CommandHandlers<typeof serverOrders>;

export interface GadgetDroneOptions {
  credential: Pick<Credential, "droneId" | "credential">;
  instanceId: InstanceId;
  version: string;
  host: string;
  capacity: number;
  abilities: DroneAbilities;
  roots: string[];
  clock: Clock;
  lease: Lease;
  time: ServerTime;
  outboxes: Outboxes;
  history: ServerHistory;
  agent: AgentService;
  requests: Requests;
  log: Logger;
  /** The socket's way to the server, where it leads through a proxy. */
  tunnel: (server: string) => Partial<ManagerOptions>;
  onOnline: () => void;
  /** The server has answered a heartbeat. */
  onBeat: () => void;
  /** Opens the connection; socket.io's client, unless said otherwise. */
  dial?: (server: string, auth: DroneAuth) => DroneSocket;
  /** Between 0 and 1: spreads the reconnects of many drones. */
  spread?: () => number;
  /** The server won't talk to this drone: a revoked credential, or another protocol. */
  onRefused: (refusal: RefusalError) => void;
}

const helloTimeoutMs = 15_000;
const eventsTimeoutMs = 30_000;
/** Between tries that came to nothing: spread over three times as long, and doubled up to the most. */
const firstWaitMs = 1_000;
const mostWaitMs = 5_000;
/** A heartbeat that is not answered for this long means a dead connection. */
const heartbeatTimeoutMs = 20_000;

/** The connection to the server: it dials out, says what it runs, and serves the server's orders. */
export class GadgetDrone {
  readonly #options: GadgetDroneOptions;
  #socket: DroneSocket | undefined;
  #stopServing = () => {};
  #stopBeating = () => {};
  #rttMs: number | undefined;
  /** Tries that came to nothing since it was online. */
  #failures = 0;
  /** A turn was given up since the last hello: the server must hear a new one, without it. */
  #gaveUp = false;

  constructor(options: GadgetDroneOptions) {
    this.#options = options;
    options.outboxes.onGivenUp(() => {
      this.#gaveUp = true;
    });
  }

  /** Connects, and connects again whenever the connection is lost. Another URL replaces this one. */
  connect(server: string): void {
    this.disconnect();
    const { droneId, credential } = this.#options.credential;
    const auth: DroneAuth = { droneId, credential, protocol: ownProtocol };
    const socket =
      this.#options.dial?.(server, auth) ?? dial(server, auth, this.#options.tunnel(server));
    this.#socket = socket;
    this.#stopServing = serve(socket, serverOrders, this.#orders(), (event, error) => {
      this.#options.log.error({ event, err: error }, "An order could not be answered");
    });
    socket.on("connect", () => void this.#greet(socket));
    socket.on("disconnect", (reason) => this.#onDisconnect(socket, reason));
    socket.on("connect_error", (error) => this.#onConnectError(socket, error));
  }

  get isConnected(): boolean {
    return this.#socket?.connected === true;
  }

  disconnect(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#stopServing();
    this.#lose();
    socket?.disconnect();
  }

  /** Tells the server before the next heartbeat that no more orders are wanted. */
  announceDraining(): void {
    const socket = this.#socket;
    if (socket?.connected === true) {
      void this.#beat(socket).catch(() => {});
    }
  }

  async #greet(socket: DroneSocket): Promise<void> {
    const { clock, lease, outboxes, history, time, log } = this.#options;
    const sentAt = clock.now();
    const hello = this.#hello();
    this.#gaveUp = false;
    history.connect(historyOver(socket));
    let answer: HelloAnswer;
    try {
      answer = await ask(socket, droneCommands, "hello", [hello], helloTimeoutMs);
    } catch (error) {
      if (socket !== this.#socket || !socket.connected) {
        return;
      }
      if (error instanceof RefusalError && isShutOut(error)) {
        return this.#refuse(error);
      }
      this.#warnOnce({ err: error }, "The server did not answer the hello");
      this.#reconnect(socket);
      return;
    }
    if (socket !== this.#socket || !socket.connected) {
      return;
    }
    lease.renew(sentAt);
    time.learn(answer.serverTime, sentAt);
    this.#rttMs = clock.now() - sentAt;
    this.#obey(hello, answer);
    outboxes.connect(linkOver(socket), hello, answer);
    if (this.#gaveUp) {
      return this.#reconnect(socket);
    }
    this.#failures = 0;
    this.#beatEvery(socket, answer.heartbeatMs);
    log.info({ running: answer.turns.length }, "Online");
    this.#options.onOnline();
  }

  #hello(): Hello {
    const { instanceId, version, host, capacity, abilities, roots, outboxes } = this.#options;
    const running = outboxes.running();
    const tails = outboxes.tails();
    const own = { instanceId, protocol: ownProtocol, version, host, capacity, abilities, roots };
    const begun = outboxes.begun();
    return { ...own, running, ...(tails.length > 0 && { tails }), begun };
  }

  /**
   * A turn that the server was told of and has no word for is not ours any more. An order may come
   * before the answer to the hello; the hello did not speak of it.
   */
  #obey({ running }: Hello, { turns }: HelloAnswer): void {
    const { agent } = this.#options;
    const verdicts = new Map(turns.map(({ turnId, verdict }) => [turnId, verdict]));
    for (const { turnId } of running) {
      const verdict = verdicts.get(turnId) ?? "kill";
      if (verdict === "kill") {
        agent.kill(turnId);
      } else if (verdict === "abort") {
        agent.abortWorkOrder(turnId);
      }
    }
  }

  #beatEvery(socket: DroneSocket, everyMs: number): void {
    const { clock, log } = this.#options;
    let cancel = () => {};
    let stopped = false;
    const schedule = () => {
      // A beat that was under way when the connection was lost must not begin a second series.
      if (!stopped) {
        cancel = clock.after(everyMs, () => {
          const goOn = () => {
            if (socket !== this.#socket || !this.#gaveUp) {
              schedule();
            } else {
              this.#reconnect(socket);
            }
          };
          this.#beat(socket).then(goOn, (error: unknown) => {
            if (socket !== this.#socket || !socket.connected) {
              return;
            }
            log.warn({ err: error }, "The server does not answer heartbeats");
            this.#reconnect(socket);
          });
        });
      }
    };
    schedule();
    this.#stopBeating = () => {
      stopped = true;
      cancel();
    };
  }

  async #beat(socket: DroneSocket): Promise<void> {
    const { agent, clock, lease, outboxes } = this.#options;
    const sentAt = clock.now();
    const running = outboxes.running().map(({ turnId }) => turnId);
    const rtt = this.#rttMs === undefined ? {} : { rttMs: this.#rttMs };
    const beat = { running, ...rtt, ...(agent.isDraining && { draining: true }) };
    const answer = await ask(socket, droneCommands, "heartbeat", [beat], heartbeatTimeoutMs);
    if (socket !== this.#socket) {
      return;
    }
    this.#rttMs = clock.now() - sentAt;
    lease.renew(sentAt);
    this.#options.onBeat();
    for (const turnId of answer.kill) {
      agent.kill(turnId);
    }
    for (const turnId of answer.abort) {
      agent.abortWorkOrder(turnId);
    }
  }

  #onDisconnect(socket: DroneSocket, reason: string): void {
    if (socket !== this.#socket) {
      return;
    }
    this.#warnOnce({ reason }, "Disconnected");
    this.#lose();
    // A server that closes the connection itself is not dialled again by socket.io.
    if (!socket.active) {
      this.#dialLater(socket);
    }
  }

  #onConnectError(socket: DroneSocket, error: Error): void {
    if (socket !== this.#socket) {
      return;
    }
    const refusal = Refusal.safeParse("data" in error ? error.data : undefined);
    if (refusal.success) {
      const { code, message } = refusal.data.error;
      const refused = new RefusalError(code, message);
      if (isShutOut(refused)) {
        return this.#refuse(refused);
      }
    }
    this.#options.log.debug({ err: error }, "Can't connect");
    if (!socket.active) {
      this.#dialLater(socket);
    }
  }

  #refuse(refusal: RefusalError): void {
    this.disconnect();
    this.#options.onRefused(refusal);
  }

  #reconnect(socket: DroneSocket): void {
    this.#lose();
    socket.disconnect();
    this.#dialLater(socket);
  }

  #dialLater(socket: DroneSocket): void {
    const wait = Math.min(firstWaitMs * 2 ** this.#failures, mostWaitMs);
    this.#failures += 1;
    this.#options.clock.after(wait * (1 + 2 * (this.#options.spread ?? Math.random)()), () => {
      if (socket === this.#socket && !socket.active) {
        socket.connect();
      }
    });
  }

  /** Loud where it begins; a server that is away or has no room is no news at every try. */
  #warnOnce(what: object, message: string): void {
    const { log } = this.#options;
    if (this.#failures === 0) {
      log.warn(what, message);
    } else {
      log.debug(what, message);
    }
  }

  #lose(): void {
    this.#stopBeating();
    this.#options.history.disconnect();
    this.#options.outboxes.disconnect();
  }

  #orders(): Orders {
    const { agent, requests } = this.#options;
    return {
      ...requests,
      processWorkOrder: (order) => ({ accepted: agent.processWorkOrder(order) }),
      // Answered at once: the settling is told by `workOrderComplete` (rule A14).
      abortWorkOrder: (turnId) => agent.abortWorkOrder(turnId),
      finishWorkOrder: ({ turnId }) => agent.finish(turnId),
      deliverMessage: (message) => agent.deliver(message),
      answerQuestion: (answer) => agent.answerQuestion(answer),
      answerApproval: (answer) => agent.answerApproval(answer),
      cancelTool: ({ turnId, callId }) => agent.cancelTool(turnId, callId),
      setApproval: ({ turnId, approval }) => agent.setApproval(turnId, approval),
      killWorkOrder: ({ turnId, epoch }) => {
        agent.kill(turnId, epoch);
        return {};
      },
      drain: ({ draining }) => {
        agent.drain(draining);
        return {};
      },
    };
  }
}

function dial(server: string, auth: DroneAuth, tunnel: Partial<ManagerOptions>): DroneSocket {
  return io(new URL(droneNamespace, server).href, {
    transports: ["websocket"],
    auth,
    reconnectionDelay: 250,
    reconnectionDelayMax: 10_000,
    randomizationFactor: 0.5,
    timeout: 10_000,
    forceNew: true,
    ...tunnel,
  });
}

/** The server won't have this drone, now or later. */
function isShutOut({ code }: RefusalError): boolean {
  return ["unauthenticated", "forbidden", "not_found", "protocol"].includes(code);
}

function historyOver(socket: DroneSocket): AskForHistory {
  return (turnId, cursor) =>
    ask(socket, droneCommands, "getHistory", [{ turnId, cursor }], eventsTimeoutMs);
}

function linkOver(socket: DroneSocket): OutboxLink {
  // While it is disconnected socket.io would keep messages and send them ahead of the next hello.
  const connected = () => {
    if (!socket.connected) {
      throw new RefusalError("unavailable");
    }
    return socket;
  };
  return {
    sendEvents: async (batch) =>
      ask(connected(), droneCommands, "turnEvents", [batch], eventsTimeoutMs),
    sendComplete: async (turnId, { success, message }) => {
      const args: [TurnId, boolean, string?] =
        message === undefined ? [turnId, success] : [turnId, success, message];
      await ask(connected(), droneCommands, "workOrderComplete", args, eventsTimeoutMs);
    },
  };
}
