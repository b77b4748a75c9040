import type { DroneId, InstanceId, Price, SessionId, TurnEvent, TurnId, UserId } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";
import type { AbortIntent } from "./abort-intent.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** What a drone is told of the events that it sent. */
export interface Taken {
  storedSeq: number;
  lost?: boolean;
}

/** A turn that a drone of this node holds, as the rest of the server knows it. */
export interface HeldTurn {
  readonly turnId: TurnId;
  readonly owner: UserId;
  readonly sessionId: SessionId;
  readonly droneId: DroneId;
  readonly instanceId: InstanceId;
  readonly epoch: number;
  abort: AbortIntent | undefined;
  /**
   * How far its order has come. `silent`: it was sent and not answered, so that the drone may have
   * it or not; `doubted`: a heartbeat was answered since, or the drone refused it.
   */
  order: "preparing" | "sent" | "silent" | "doubted" | "taken";
  /** As it is known here, without a read (A14). */
  readonly shown: StoredTurn;
  /** What its log says of it so far. */
  readonly facts: TurnFacts;
  /** Taken from the drone and published. */
  readonly receivedSeq: number;
  /** Durable. */
  readonly storedSeq: number;
  /** It has written all it may: nothing more is taken. */
  readonly isFull: boolean;
  /** Its end has begun, and tells the lists itself. */
  readonly isEnding: boolean;
  /** The order is made: its drone's first word has this number; the price is the turn's from now on. */
  ordered(nextSeq: number, price: Price | undefined): void;
  /** Takes what its drone sent: once, published at once, and answered when it is durable. */
  take(events: readonly TurnEvent[]): Promise<Taken>;
  /** Makes durable what was taken; one write at a time, so that numbers stay in order. */
  flushed(): Promise<void>;
  /** Its end comes: what was taken is stored, and what its log says goes with the end. */
  ending(): Promise<TurnFacts>;
  /** This node holds it no more: it has ended, or another node holds it. */
  letGo(): void;
}
