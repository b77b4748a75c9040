import {
  agreeOnProtocol,
  type ClientToServerEvents,
  type CommandHandlers,
  type DroneId,
  droneCommands,
  type Heartbeat,
  type Hello,
  type HelloAnswer,
  type HistoryPage,
  RefusalError,
  type ServerToClientEvents,
  serve,
  type TurnId,
} from "@gadget/api";
import type { Socket } from "socket.io";
import type { StoredTurn } from "../models/chat-turn.ts";
import { databaseRefusal, isOutOfRoom } from "../models/database-refusal.ts";
import type { StoredDrone } from "../models/drone.ts";
import { heartbeatMs } from "../models/drone-status.ts";
import type { RateLimits } from "../people/rate-limits.ts";
import type { Relayed } from "../people/relayed.ts";
import type { Turnstile } from "../people/turnstile.ts";
import { complete } from "../turns/complete.ts";
import { dispatchDrone } from "../turns/dispatch.ts";
import { endUnshared } from "../turns/end-foreign.ts";
import { ingest } from "../turns/ingest.ts";
import { historyPage } from "../turns/log/history.ts";
import { noteInstance } from "../turns/note-instance.ts";
import { reconcile } from "../turns/recovery/reconcile.ts";
import { reviewRunning } from "../turns/recovery/review-running.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";

export type DroneSocket = Socket<ClientToServerEvents<"drone">, ServerToClientEvents<"drone">>;

/** What a drone's commands need: what reads much is done one after the other. */
export type DroneContext = TurnContext & {
  limits: Pick<RateLimits, "hellos" | "heartbeats" | "histories">;
  relayed: Relayed;
};

export interface DroneEvents {
  /** Said hello: from now on it can be given work. */
  onHello(): void;
  onChange(drone: StoredDrone): void;
}

/**
 * While nothing can be stored, a drone keeps its connection: over it the turns that run there can
 * be aborted. When it was seen is written again with the next heartbeat.
 */
function exceptFullDisk(error: unknown): undefined {
  if (!isOutOfRoom(error)) {
    throw error;
  }
}

/** One drone's connection. Thin: each handler reads, calls one verb of `turns/`, and answers. */
export class DroneSession {
  readonly #socket: DroneSocket;
  readonly #droneId: DroneId;
  readonly #context: DroneContext;
  readonly #events: DroneEvents;
  readonly #address: string;
  #greeted = false;

  constructor(socket: DroneSocket, droneId: DroneId, context: DroneContext, events: DroneEvents) {
    this.#socket = socket;
    this.#droneId = droneId;
    this.#context = context;
    this.#events = events;
    this.#address = socket.handshake.address;
    serve(socket, droneCommands, this.#handlers(), (event, error) => {
      const refusal = databaseRefusal(error);
      if (refusal === undefined) {
        context.log.error({ err: error, event, droneId }, "a drone's command failed");
      }
      return refusal;
    });
  }

  #handlers(): CommandHandlers<typeof droneCommands> {
    const context = this.#context;
    const droneId = this.#droneId;
    const { hellos, heartbeats, histories } = context.limits;
    return {
      hello: (hello) => this.#inTurn(hellos, () => this.#hello(hello)),
      heartbeat: (heartbeat) => this.#inTurn(heartbeats, () => this.#heartbeat(heartbeat)),
      turnEvents: ({ events, ...batch }) => {
        const owner = context.live.get(batch.turnId)?.owner;
        const told = events.map((event) => context.relayed.truly(event, owner));
        return ingest(context, droneId, { ...batch, events: told });
      },
      workOrderComplete: async (turnId, success, message) => {
        await complete(context, droneId, turnId, success, message);
        return {};
      },
      getHistory: ({ turnId, cursor }) =>
        this.#inTurn(histories, () => this.#history(turnId, cursor)),
    };
  }

  /** What waited for its place, and whose connection is gone, is not begun any more. */
  #inTurn<Answer>(places: Turnstile, work: () => Promise<Answer>): Promise<Answer> {
    return places.run(this.#droneId, () => {
      if (!this.#socket.connected) {
        throw new RefusalError("unavailable");
      }
      return work();
    });
  }

  async #hello(hello: Hello): Promise<HelloAnswer> {
    const { version, host, capacity, abilities, roots, instanceId, running } = hello;
    const protocol = agreeOnProtocol(hello.protocol);
    const turns = await reconcile(this.#context, this.#droneId, hello);
    const now = this.#context.now();
    const before = await this.#context.models.drones.findById(this.#droneId).lean<StoredDrone>();
    if (before !== null) {
      await noteInstance(this.#context, before, hello, this.#address);
    }
    const said = {
      version,
      host,
      capacity,
      abilities,
      roots,
      instanceId,
      protocol,
      running: running.length,
      node: this.#context.nodes.self,
    };
    const isKnown = before?.instanceId === instanceId && before.node === said.node;
    const seen = this.#seen(said);
    const drone = isKnown ? ((await seen.catch(exceptFullDisk)) ?? before) : await seen;
    this.#greeted = true;
    this.#events.onHello();
    this.#context.nodes.droneCame(this.#droneId);
    dispatchDrone(this.#context, this.#droneId);
    this.#endForeign(drone);
    const beat = heartbeatMs(this.#context.graceMs);
    return { protocol, serverTime: now.toISOString(), heartbeatMs: beat, turns };
  }

  async #heartbeat({ running, draining, rttMs }: Heartbeat) {
    if (!this.#greeted) {
      throw new RefusalError("conflict", "Say hello first.");
    }
    await this.#seen({
      running: running.length,
      ...(draining === true && { draining }),
      ...(rttMs !== undefined && { rttMs }),
    }).catch(exceptFullDisk);
    const review = await reviewRunning(this.#context, this.#droneId, running);
    dispatchDrone(this.#context, this.#droneId);
    return review;
  }

  /** What was ended while it was away, such as a member's commands, it may still run. */
  #endForeign(drone: StoredDrone): void {
    endUnshared(this.#context, drone).catch((error: unknown) => {
      this.#context.log.error({ err: error, droneId: drone._id }, "others' work was not ended");
    });
  }

  async #seen(set: Partial<StoredDrone>): Promise<StoredDrone> {
    const drone = await this.#context.models.drones
      .findOneAndUpdate(
        { _id: this.#droneId },
        { $set: { ...set, lastSeenAt: this.#context.now() } },
        { returnDocument: "after" },
      )
      .lean<StoredDrone>();
    if (drone === null) {
      throw new RefusalError("unauthenticated", "This drone was revoked.");
    }
    this.#events.onChange(drone);
    return drone;
  }

  /** Only for a turn that this drone holds. */
  async #history(turnId: TurnId, cursor: string): Promise<HistoryPage> {
    const turn = await this.#context.models.turns
      .findOne({ _id: turnId, "lease.droneId": this.#droneId })
      .lean<StoredTurn>();
    if (turn === null) {
      throw new RefusalError("not_found");
    }
    return historyPage(this.#context.models, turn.sessionId, turn, cursor);
  }
}
