import type {
  DroneId,
  InstanceId,
  Person,
  SessionId,
  TurnEvent,
  TurnId,
  UserId,
} from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";

/** An abort that was asked for; `stored` tells, once that is certain, whether the database has it. */
export interface AbortIntent {
  by: Person | undefined;
  at: Date;
  stored: Promise<boolean>;
}

/**
 * A turn that a drone of this node holds. Kept in memory so that an abort waits for no write
 * (A14) and events find their fence without a read.
 */
export interface LiveTurn {
  readonly turnId: TurnId;
  readonly owner: UserId;
  readonly sessionId: SessionId;
  readonly droneId: DroneId;
  readonly instanceId: InstanceId;
  readonly epoch: number;
  /** Taken from the drone and published. */
  receivedSeq: number;
  /** Durable. */
  storedSeq: number;
  /** Published, not yet durable. */
  pending: TurnEvent[];
  flushing: Promise<void> | undefined;
  lastFlushAt: number;
  abort: AbortIntent | undefined;
  /**
   * `silent`: it was sent and not answered, so that the drone may have it or not; `doubted`: a
   * heartbeat was answered since.
   */
  order: "preparing" | "sent" | "silent" | "doubted" | "taken";
  /** What the turn is known to wait for in the database. */
  waitingFor: StoredTurn["waitingFor"];
  /** There once its drone has told its end: what its last events say of it is written with that. */
  ending: { note: Partial<StoredTurn>; events: TurnEvent[] } | undefined;
}

/** A lease as this node begins to hold it: all that is stored was received. */
export function liveTurn(
  { _id, owner, sessionId, epoch, waitingFor }: StoredTurn,
  { droneId, instanceId }: NonNullable<StoredTurn["lease"]>,
  { storedSeq, abort, order }: Pick<LiveTurn, "storedSeq" | "abort" | "order">,
): LiveTurn {
  return {
    turnId: _id,
    owner,
    sessionId,
    droneId,
    instanceId,
    epoch,
    receivedSeq: storedSeq,
    storedSeq,
    pending: [],
    flushing: undefined,
    lastFlushAt: 0,
    abort,
    order,
    waitingFor,
    ending: undefined,
  };
}

/** A prompt on its way into the database, and an abort may come right behind it (A6). */
export interface Arrival {
  readonly owner: UserId;
  /** As it will be stored; rejects where the prompt is refused before that. */
  readonly turn: Promise<StoredTurn>;
  readonly stored: Promise<unknown>;
}

/** So long an abort is remembered whose turn another node holds: its write has come by then. */
const askedMs = 60_000;

export class LiveTurns {
  readonly #turns = new Map<TurnId, LiveTurn>();
  readonly #asked = new Map<TurnId, AbortIntent>();

  readonly #arriving = new Map<TurnId, Arrival>();

  get(turnId: TurnId): LiveTurn | undefined {
    return this.#turns.get(turnId);
  }

  arrives(turnId: TurnId, arrival: Arrival): void {
    this.#arriving.set(turnId, arrival);
    const arrived = (): void => {
      if (this.#arriving.get(turnId) === arrival) this.#arriving.delete(turnId);
    };
    arrival.stored.then(arrived, arrived);
  }

  arrival(turnId: TurnId): Arrival | undefined {
    return this.#arriving.get(turnId);
  }

  add(turn: LiveTurn): void {
    this.#turns.set(turn.turnId, turn);
  }

  /** An abort was asked for; also of a turn that another node holds. The first one counts. */
  askAbort(turnId: TurnId, intent: AbortIntent): void {
    const held = this.#turns.get(turnId);
    if (held !== undefined) held.abort ??= intent;
    if (this.#asked.has(turnId)) return;
    this.#asked.set(turnId, intent);
    setTimeout(() => this.#asked.delete(turnId), askedMs).unref();
  }

  abortOf(turnId: TurnId): AbortIntent | undefined {
    return this.#turns.get(turnId)?.abort ?? this.#asked.get(turnId);
  }

  /** Its write failed: the next one who asks writes it again. */
  forgetAbort(turnId: TurnId): void {
    this.#asked.delete(turnId);
  }

  /** Removes this very lease's turn, never a later one's. */
  remove(turn: LiveTurn): void {
    if (this.#turns.get(turn.turnId) === turn) this.#turns.delete(turn.turnId);
  }

  ofDrone(droneId: DroneId): LiveTurn[] {
    return [...this.#turns.values()].filter((turn) => turn.droneId === droneId);
  }
}
