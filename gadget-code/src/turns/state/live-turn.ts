import {
  type DroneId,
  type InstanceId,
  LogSize,
  type Person,
  type SessionId,
  type Size,
  type TurnEvent,
  type TurnId,
  type UserId,
} from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";

/** An abort that was asked for. */
export interface AbortIntent {
  by: Person | undefined;
  at: Date;
  /** The turn as the abort's write left it; undefined: it had settled, or the write failed. */
  stored: Promise<StoredTurn | undefined>;
  /** Its write failed: the next one who asks writes it again. */
  isLost?: boolean;
  /** Why it failed. */
  failure?: unknown;
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
  /** As it was last read or written here; what a cancel shows of it waits for no read (A14). */
  shown: StoredTurn;
  /** Taken from the drone and published. */
  receivedSeq: number;
  /** Durable. */
  storedSeq: number;
  /** Published, not yet durable. */
  pending: TurnEvent[];
  pendingCharacters: number;
  /** Of what is stored and what is pending. */
  size: LogSize;
  /** It has written all it may: nothing more is taken. */
  full: boolean;
  /** Durable, and what they say beside the log is not written yet. */
  unnoted: TurnEvent[];
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

type Start = Partial<Pick<LiveTurn, "unnoted">> &
  Pick<LiveTurn, "storedSeq" | "abort" | "order"> & { size?: Size | undefined };

/** A lease as this node begins to hold it: all that is stored was received. */
export function liveTurn(
  turn: StoredTurn,
  { droneId, instanceId }: NonNullable<StoredTurn["lease"]>,
  { storedSeq, abort, order, size, unnoted = [] }: Start,
): LiveTurn {
  const { _id, owner, sessionId, epoch, waitingFor } = turn;
  return {
    turnId: _id,
    owner,
    sessionId,
    droneId,
    instanceId,
    epoch,
    shown: turn,
    receivedSeq: storedSeq,
    storedSeq,
    pending: [],
    pendingCharacters: 0,
    size: new LogSize(size),
    full: false,
    unnoted,
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
  /** As it will be stored, once that is known. */
  turn?: StoredTurn;
  /** Rejects where the prompt is refused. */
  readonly stored: Promise<StoredTurn>;
}

/** So long an abort is remembered whose turn another node holds: its write has come by then. */
const askedMs = 60_000;
/** So many submitted turns are known without a read; older ones are read. */
const mostSubmitted = 5_000;

export class LiveTurns {
  readonly #turns = new Map<TurnId, LiveTurn>();
  readonly #asked = new Map<TurnId, AbortIntent>();
  readonly #arriving = new Map<TurnId, Arrival>();
  /** Unsettled turns that were submitted here: they wait, or another node holds them. */
  readonly #submitted = new Map<TurnId, StoredTurn>();

  get(turnId: TurnId): LiveTurn | undefined {
    return this.#turns.get(turnId);
  }

  arrives(turnId: TurnId, owner: UserId, stored: Promise<StoredTurn>): void {
    const arrival = { owner, stored };
    this.#arriving.set(turnId, arrival);
    const arrived = (): void => {
      if (this.#arriving.get(turnId) === arrival) {
        this.#arriving.delete(turnId);
      }
    };
    stored.then(arrived, arrived);
  }

  /** It is made, and on its way into the database. */
  made(turn: StoredTurn): void {
    const arrival = this.#arriving.get(turn._id);
    if (arrival?.owner === turn.owner) {
      arrival.turn = turn;
    }
  }

  arrival(turnId: TurnId): Arrival | undefined {
    return this.#arriving.get(turnId);
  }

  add(turn: LiveTurn): void {
    this.#turns.set(turn.turnId, turn);
  }

  submitted(turn: StoredTurn): void {
    this.#submitted.set(turn._id, turn);
    if (this.#submitted.size <= mostSubmitted) {
      return;
    }
    for (const oldest of this.#submitted.keys()) {
      this.#submitted.delete(oldest);
      return;
    }
  }

  /** What this node knows of an unsettled turn without asking the database. */
  known(turnId: TurnId): StoredTurn | undefined {
    return this.#turns.get(turnId)?.shown ?? this.#submitted.get(turnId);
  }

  /** It has settled: nothing more is taken for it. */
  end(turnId: TurnId): void {
    this.#turns.delete(turnId);
    this.#submitted.delete(turnId);
  }

  /** An abort was asked for; also of a turn that another node holds. The first one counts. */
  askAbort(turnId: TurnId, intent: AbortIntent): void {
    const held = this.#turns.get(turnId);
    if (held !== undefined && (held.abort?.isLost ?? true)) {
      held.abort = intent;
    }
    if (this.#asked.has(turnId)) {
      return;
    }
    this.#asked.set(turnId, intent);
    setTimeout(() => this.#asked.delete(turnId), askedMs).unref();
  }

  abortOf(turnId: TurnId): AbortIntent | undefined {
    return this.#turns.get(turnId)?.abort ?? this.#asked.get(turnId);
  }

  /** What was told to the drone stays known; a turn that no drone has goes on. */
  forgetAbort(turnId: TurnId, intent: AbortIntent): void {
    intent.isLost = true;
    if (this.#asked.get(turnId) === intent) {
      this.#asked.delete(turnId);
    }
  }

  /** Removes this very lease's turn, never a later one's. */
  remove(turn: LiveTurn): void {
    if (this.#turns.get(turn.turnId) === turn) {
      this.#turns.delete(turn.turnId);
    }
  }

  ofDrone(droneId: DroneId): LiveTurn[] {
    return [...this.#turns.values()].filter((turn) => turn.droneId === droneId);
  }
}
