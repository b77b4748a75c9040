import {
  type AbortAnswer,
  abortMessages,
  isSettled,
  type Person,
  RefusalError,
  type TurnId,
} from "@gadget/api";
import type { QueryFilter } from "mongoose";
import { answerMs } from "../answer-ms.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import { isOutOfRoom } from "../models/database-refusal.ts";
import { askAbort } from "./ask-abort.ts";
import type { AbortIntent } from "./state/abort-intent.ts";
import type { Arrival } from "./state/live-turns.ts";
import { shownTurn, turnAsAsked } from "./state/shown-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

/** Once the abort is stored, a drone that says nothing for so long can't be reached. */
const hearMs = 500;

export interface AbortResult extends AbortAnswer {
  /** Undefined: the database has not said anything of it yet. */
  turn: StoredTurn | undefined;
}

interface Asking {
  turnId: TurnId;
  by: Person;
  /** The turns that this person may end. */
  may: () => Promise<QueryFilter<StoredTurn>>;
}

/**
 * Asks for the abort of one named turn (A3). The drone is told and the intent is stored at the
 * same moment; neither waits for the other, and either alone brings the abort about (A5). What is
 * told, stored and answered in which state: the table in docs/abort-controller.md.
 */
export function abort(
  context: TurnContext,
  turnId: TurnId,
  by: Person,
  may: Asking["may"],
): Promise<AbortResult> {
  return new Cancel(context, { turnId, by, may }).answer();
}

/** What a cancel does, by what this node knows of the turn: whether a drone is told, what is stored. */
const ways = {
  /** The prompt is on its way into the database: no order goes out for it. */
  arriving: { tells: false, from: "queued" },
  /** It waits for a drone of this node, and was not handed out. */
  waitsHere: { tells: false, from: "queued" },
  /** Another node may have handed it out by now. */
  waitsElsewhere: { tells: true, from: "queued" },
  held: { tells: true, from: "processing" },
} as const;

/** The one place where an answer is made. */
function answered(of: keyof typeof abortMessages, turn: StoredTurn | undefined): AbortResult {
  return { turn, success: of !== "notRunning", message: abortMessages[of] };
}

const late = Symbol("late");

/** One person's cancel, and its one deadline, of whatever steps its way is made. */
class Cancel {
  readonly #context: TurnContext;
  readonly #asking: Asking;
  readonly #deadline: Promise<typeof late>;
  /** There where this cancel is the first one. */
  #own: AbortIntent | undefined;
  /** The drone's word; undefined: none, for it can't be reached or nobody asked it. */
  #told: Promise<AbortAnswer | undefined> = Promise.resolve(undefined);

  constructor(context: TurnContext, asking: Asking) {
    this.#context = context;
    this.#asking = asking;
    this.#deadline = context.wait(answerMs).then(() => late);
  }

  /** What this node knows to be the asker's own is told to its drone before anything is read. */
  answer(): Promise<AbortResult> {
    const { live } = this.#context;
    const { turnId, by } = this.#asking;
    const known = live.known(turnId);
    if (known?.owner === by.id) {
      return this.#act(known);
    }
    const arrival = live.arrival(turnId);
    return arrival?.owner === by.id ? this.#onArrival(arrival) : this.#onRead();
  }

  /** This node does not know the turn. Too late for the answer it still goes on. */
  async #onRead(): Promise<AbortResult> {
    const found = this.#find();
    const turn = await this.#inTime(found);
    if (turn !== late) {
      return this.#act(turn);
    }
    const { log } = this.#context;
    const { turnId } = this.#asking;
    found
      .then((one) => this.#act(one))
      .catch((error: unknown) => {
        log.error({ err: error, turnId }, "a turn that should be aborted was not");
      });
    throw new RefusalError(
      "unavailable",
      "The database does not answer. The turn is aborted as soon as it does; if it goes on, cancel it again.",
    );
  }

  /** No order goes out for it, and its end follows it into the database. */
  async #onArrival(arrival: Arrival): Promise<AbortResult> {
    const intent = this.#ask({ from: ways.arriving.from, behind: arrival });
    const arrived = await this.#inTime(arrival.stored.catch(() => undefined));
    if (arrived === undefined) {
      return this.#onRead();
    }
    if (arrived !== late) {
      return this.#whileQueued(arrived, intent);
    }
    return answered("storing", arrival.turn && this.#shown(arrival.turn, intent));
  }

  #act(turn: StoredTurn): Promise<AbortResult> {
    if (isSettled(turn.status)) {
      return Promise.resolve(answered("notRunning", turn));
    }
    const { nodes, publish } = this.#context;
    const { turnId, by } = this.#asking;
    const { tells, from } = ways[this.#stateOf(turn)];
    const earlier = this.#askedBefore(turn);
    if (earlier === undefined) {
      // The node that holds the turn learns who asked before its drone can answer.
      nodes.abortAsked(turnId, by, this.#context.now());
    }
    if (tells) {
      this.#tell(turn);
    }
    const intent = earlier ?? this.#ask({ from });
    if (from === "queued") {
      return this.#whileQueued(turn, intent);
    }
    if (earlier === undefined) {
      publish.turnChanged(this.#shown(turn, intent));
    }
    return this.#whileRunning(turn, intent);
  }

  /** A claim may come before the write: then it is aborted as a running one (A6). */
  async #whileQueued(turn: StoredTurn, intent: AbortIntent): Promise<AbortResult> {
    // A drone that does not have it says nothing of the turn.
    const begun = new Promise<"begun">((resolve) => {
      void this.#told.then((answer) => answer?.success === true && resolve("begun"));
    });
    const first = await this.#inTime(Promise.race([intent.stored, begun]));
    const shown = this.#shown(turn, intent);
    if (first === "begun") {
      return answered(this.#isFirst(intent) ? "signaled" : "already", shown);
    }
    refuseLost(intent);
    const now = first ?? (await this.#inTime(this.#read()));
    if (now === late || now === null || now.status === "queued") {
      return answered("storing", shown);
    }
    if (isSettled(now.status)) {
      return answered(now.status === "aborted" ? "cancelledEarly" : "notRunning", now);
    }
    this.#tell(now);
    return this.#whileRunning(now, intent);
  }

  /** The drone's word, or the stored intent where the drone says nothing. */
  async #whileRunning(turn: StoredTurn, intent: AbortIntent): Promise<AbortResult> {
    const shown = this.#shown(turn, intent);
    if (!this.#isFirst(intent)) {
      await this.#inTime(Promise.race([this.#told, intent.stored]));
      return answered("already", shown);
    }
    const word = await this.#inTime(Promise.race([this.#told, this.#silence(intent)]));
    if (word !== undefined && word !== late) {
      return answered("signaled", shown);
    }
    const stored = await this.#inTime(intent.stored);
    refuseLost(intent);
    if (stored !== late && stored?.status === "aborted") {
      return answered("cancelledEarly", stored);
    }
    // It had settled: another node knew first.
    const now = stored ?? (await this.#inTime(this.#read()));
    const hasEnded = now !== late && now !== null && isSettled(now.status);
    return hasEnded ? answered("notRunning", now) : answered("unreachable", shown);
  }

  /** The abort is stored, or it can't be, and the drone has had the time for its word. */
  async #silence(intent: AbortIntent): Promise<undefined> {
    const stored = await intent.stored;
    if (stored?.status === "aborting" || intent.isLost === true) {
      await this.#context.wait(hearMs);
    }
  }

  #shown(turn: StoredTurn, intent: AbortIntent): StoredTurn {
    return turnAsAsked(shownTurn(this.#context.live, turn), intent);
  }

  #inTime<T>(promise: Promise<T>): Promise<T | typeof late> {
    return Promise.race([promise, this.#deadline]);
  }

  #askedBefore({ _id, status, abortRequestedAt, abortedBy }: StoredTurn): AbortIntent | undefined {
    const intent = this.#context.live.abortOf(_id);
    if (intent !== undefined && intent.isLost !== true) {
      return intent;
    }
    if (status !== "aborting") {
      return undefined;
    }
    const at = abortRequestedAt ?? this.#context.now();
    return { by: abortedBy, at, stored: Promise.resolve(undefined) };
  }

  #ask(how: { from: "queued" | "processing"; behind?: Arrival }): AbortIntent {
    const { turnId, by } = this.#asking;
    const intent = askAbort(this.#context, { turnId, by, ...how });
    this.#own = intent;
    return intent;
  }

  #isFirst(intent: AbortIntent): boolean {
    return intent === this.#own;
  }

  #stateOf({ status, droneId }: StoredTurn): keyof typeof ways {
    if (status !== "queued") {
      return "held";
    }
    const isHere = droneId !== null && this.#context.line.isHere(droneId);
    return isHere ? "waitsHere" : "waitsElsewhere";
  }

  #tell({ lease, droneId }: StoredTurn): void {
    const at = lease?.droneId ?? droneId;
    if (at === null) {
      return;
    }
    const { line } = this.#context;
    this.#told = line.signalAbort(at, this.#asking.turnId, answerMs).catch(() => undefined);
  }

  #read(): Promise<StoredTurn | null> {
    const { turns } = this.#context.models;
    return turns.findById(this.#asking.turnId).lean<StoredTurn>().exec();
  }

  async #find(): Promise<StoredTurn> {
    const { turnId, may } = this.#asking;
    const { turns } = this.#context.models;
    const turn = await turns.findOne({ ...(await may()), _id: turnId }).lean<StoredTurn>();
    if (turn === null) {
      throw new RefusalError("not_found", "There is no such turn.");
    }
    return turn;
  }
}

/** Nobody has heard of the abort, and it is nowhere kept: whoever asked has to know. */
function refuseLost({ isLost, failure }: AbortIntent): void {
  if (isLost === true) {
    const why = isOutOfRoom(failure)
      ? "The server's disk is full: the abort could not be stored. Make room, then cancel the turn again."
      : "The database could not store the abort. Cancel the turn again.";
    throw new RefusalError("unavailable", why);
  }
}
