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

/** An abort that was asked for; `stored` settles when the database knows it too. */
export interface AbortIntent {
  by: Person | undefined;
  at: Date;
  stored: Promise<void>;
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
  /** The order has reached the drone, or may have. */
  sent: boolean;
}

/** A lease as this node begins to hold it: all that is stored was received. */
export function liveTurn(
  { _id, owner, sessionId, epoch }: Pick<StoredTurn, "_id" | "owner" | "sessionId" | "epoch">,
  { droneId, instanceId }: NonNullable<StoredTurn["lease"]>,
  { storedSeq, abort, sent }: Pick<LiveTurn, "storedSeq" | "abort" | "sent">,
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
    sent,
  };
}

export class LiveTurns {
  readonly #turns = new Map<TurnId, LiveTurn>();

  get(turnId: TurnId): LiveTurn | undefined {
    return this.#turns.get(turnId);
  }

  add(turn: LiveTurn): void {
    this.#turns.set(turn.turnId, turn);
  }

  /** Removes this very lease's turn, never a later one's. */
  remove(turn: LiveTurn): void {
    if (this.#turns.get(turn.turnId) === turn) this.#turns.delete(turn.turnId);
  }

  ofDrone(droneId: DroneId): LiveTurn[] {
    return [...this.#turns.values()].filter((turn) => turn.droneId === droneId);
  }
}
