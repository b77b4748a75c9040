import type { DroneId, TurnId, UserId } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";
import type { AbortIntent } from "./abort-intent.ts";
import type { HeldTurn } from "./held-turn.ts";

/** A prompt on its way into the database, and an abort may come right behind it (A6). */
export interface Arrival {
  readonly owner: UserId;
  /** As it will be stored, once that is known. */
  turn?: StoredTurn;
  /** Rejects where the prompt is refused. */
  readonly stored: Promise<StoredTurn>;
}

/** How long an abort is remembered whose turn another node holds: its write has come by then. */
const askedMs = 60_000;
/** How many submitted turns are known without a read; older ones are read. */
const mostSubmitted = 5_000;

/** What this node knows of unsettled turns without asking the database. */
export class LiveTurns {
  readonly #turns = new Map<TurnId, HeldTurn>();
  readonly #asked = new Map<TurnId, AbortIntent>();
  readonly #arriving = new Map<TurnId, Arrival>();
  /** Unsettled turns that were submitted here: they wait, or another node holds them. */
  readonly #submitted = new Map<TurnId, StoredTurn>();

  get(turnId: TurnId): HeldTurn | undefined {
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

  add(turn: HeldTurn): void {
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
  remove(turn: HeldTurn): void {
    if (this.#turns.get(turn.turnId) === turn) {
      this.#turns.delete(turn.turnId);
    }
  }

  ofDrone(droneId: DroneId): HeldTurn[] {
    return [...this.#turns.values()].filter((turn) => turn.droneId === droneId);
  }
}
