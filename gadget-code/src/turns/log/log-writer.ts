import { coverStart, type Size, type TurnEvent, type TurnId, type UserId } from "@gadget/api";
import { isUnstorable } from "../../models/is-database-trouble.ts";
import type { TurnContext } from "../state/turn-context.ts";
import { appendEvents, lastStoredSeq } from "./log-events.ts";
import { noticeInstead } from "./storable-event.ts";

interface Leased {
  turnId: TurnId;
  owner: UserId;
  epoch: number;
}

/** Writes a turn's log on, for the holder of its lease. */
export class LogWriter {
  readonly #context: Pick<TurnContext, "models" | "log">;
  readonly #turn: Leased;
  readonly #onStored: (events: readonly TurnEvent[]) => void;
  #storedSeq: number;

  constructor(
    context: Pick<TurnContext, "models" | "log">,
    turn: Leased,
    storedSeq: number,
    onStored: (events: readonly TurnEvent[]) => void,
  ) {
    this.#context = context;
    this.#turn = turn;
    this.#storedSeq = storedSeq;
    this.#onStored = onStored;
  }

  /** Up to here the log is durable. */
  get storedSeq(): number {
    return this.#storedSeq;
  }

  startAfter(seq: number): void {
    this.#storedSeq = seq;
  }

  /**
   * Appends events; each is told as soon as it is durable. False: the turn goes on without us.
   * Where the database refuses the whole for good, each event is stored by itself, and a notice
   * stands in the place of one that can never be.
   */
  async append(events: readonly TurnEvent[], size: Size): Promise<boolean> {
    try {
      return await this.#appendRest(events, size);
    } catch (error) {
      if (!isUnstorable(error)) {
        throw error;
      }
      const [only] = events;
      if (only !== undefined && events.length === 1) {
        return this.#appendRest([this.#leftOut(only, error)], size);
      }
    }
    for (const event of events) {
      if (!(await this.append([event], size))) {
        return false;
      }
    }
    return true;
  }

  #leftOut(event: TurnEvent, error: unknown): TurnEvent {
    const { seq, type } = event;
    const { turnId } = this.#turn;
    this.#context.log.error(
      { err: error, turnId, seq, type },
      "an event can't be stored: it is left out",
    );
    return noticeInstead(event, `An event (${type}) could not be stored and was left out.`);
  }

  /**
   * A drone that went from one node to another sends again what it had no answer for, while the
   * node that it left may still store it: both write the same numbers, each goes on after the other.
   */
  async #appendRest(events: readonly TurnEvent[], size: Size): Promise<boolean> {
    const { models } = this.#context;
    const { turnId, owner, epoch } = this.#turn;
    let rest = events;
    while (!(await appendEvents(models, { _id: turnId, owner }, rest, size))) {
      const stored = await lastStoredSeq(models, turnId);
      const goesOn = await models.turns.exists({ _id: turnId, epoch, unsettled: true });
      if (goesOn === null || stored <= this.#storedSeq) {
        return false;
      }
      this.#storedSeq = stored;
      rest = rest
        .filter((event) => event.seq > stored)
        .map((event) => (coverStart(event) > stored ? event : { ...event, fromSeq: stored + 1 }));
    }
    this.#storedSeq = Math.max(this.#storedSeq, events.at(-1)?.seq ?? 0);
    this.#onStored(events);
    return true;
  }
}
