import {
  brokenCover,
  isDelta,
  isSettled,
  isTerminal,
  RefusalError,
  type SessionId,
  type TurnEvent,
  TurnEvents,
  type TurnId,
  type UserId,
} from "@gadget/api";
import type { StoredTurn } from "../../../gadget-code/src/models/chat-turn.ts";
import type { Models } from "../../../gadget-code/src/models/models.ts";
import { eventPages } from "../../../gadget-code/src/turns/log/log-events.ts";
import type { Publisher } from "../../../gadget-code/src/turns/state/publisher.ts";
import type { SimulatedTurn } from "./simulated-turn.ts";

interface Known {
  turnId: TurnId;
  sessionId: SessionId;
  /** Somebody asked for its abort. */
  asked: boolean;
  forced?: boolean;
}

/** All that was seen of one history, and what must be true of it. */
export class Record {
  readonly turns: Known[] = [];
  readonly works: SimulatedTurn[] = [];
  /** A drone was killed, or slept for long: only then may a turn be interrupted. */
  mayBeLost = false;
  readonly #now: () => number;
  readonly #broken: string[] = [];
  readonly #said = new Map<string, string>();
  readonly #acknowledged = new Map<TurnId, number>();
  readonly #completed = new Set<unknown>();
  readonly #ended = new Map<TurnId, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A refusal is an answer; anything else is a bug. */
  refused(error: unknown): void {
    if (!(error instanceof RefusalError)) {
      this.#broken.push(`a verb threw ${String(error)}`);
    }
  }

  publisher(): Publisher {
    return {
      turnEvents: ({ turnId }, events) => this.#shown(turnId, events),
      turnChanged: () => {},
      turnSettled: ({ _id }) => {
        if (!this.#ended.has(_id)) {
          this.#ended.set(_id, this.#now());
        }
      },
      sessionChanged: () => {},
      queueChanged: () => {},
    };
  }

  sent(event: string, args: unknown[]): ((answer: unknown[]) => void) | undefined {
    if (event === "workOrderComplete") {
      return () => void this.#completed.add(args[0]);
    }
    if (event !== "turnEvents") {
      return undefined;
    }
    const { turnId, events } = TurnEvents.parse(args[0]);
    for (const one of events) {
      this.#note(one);
    }
    return ([answer]) => {
      const storedSeq: unknown = Reflect.get(Object(answer), "storedSeq");
      const known = this.#acknowledged.get(turnId) ?? 0;
      if (typeof storedSeq === "number") {
        this.#acknowledged.set(turnId, Math.max(known, storedSeq));
      }
    };
  }

  async violations(models: Models, owner: UserId): Promise<string[]> {
    const stored = await models.turns.find({ owner }).lean<StoredTurn[]>();
    for (const turn of stored) {
      const events: TurnEvent[] = [];
      for await (const page of eventPages(models, turn._id, 0)) {
        events.push(...page);
      }
      for (const broken of this.#ofTurn(turn, events)) {
        this.#broken.push(`${turn._id}: ${broken}`);
      }
    }
    this.#broken.push(...this.#ofWorks(stored));
    return this.#broken;
  }

  #note(event: TurnEvent): void {
    const key = `${event.turnId} ${event.epoch} ${event.seq}`;
    const text = JSON.stringify(event);
    const before = this.#said.get(key);
    if (before !== undefined && before !== text) {
      this.#broken.push(`A35 two events are ${key}`);
    }
    this.#said.set(key, text);
  }

  #shown(turnId: TurnId, events: readonly TurnEvent[]): void {
    const at = this.#ended.get(turnId);
    if (at === undefined || events.length === 0) {
      return;
    }
    this.#broken.push(`A7 ${turnId} showed ${events[0]?.type} after its end`);
  }

  *#ofTurn(turn: StoredTurn, events: TurnEvent[]): Generator<string> {
    const known = this.turns.find(({ turnId }) => turnId === turn._id);
    if (!isSettled(turn.status)) {
      yield `A36 it is ${turn.status} for ever`;
    }
    const ends = events.filter(isTerminal);
    if (ends.length !== 1) {
      yield `A2 it has ${ends.length} terminal events`;
    }
    const last = events.at(-1);
    if (last !== undefined && !isTerminal(last)) {
      yield `A7 ${last.type} follows its end`;
    }
    const end = ends[0];
    if (end?.type === "turn:changed" && end.status !== turn.status) {
      yield `A2 it is ${turn.status}, and its log ends ${end.status}`;
    }
    if (brokenCover(events, 0) !== undefined) {
      yield "A35 its log has a gap";
    }
    const acknowledged = this.#acknowledged.get(turn._id) ?? 0;
    if ((last?.seq ?? 0) <= acknowledged) {
      yield `A35 ${acknowledged} was acknowledged and is gone`;
    }
    let epoch = 0;
    for (const event of events) {
      if (event.epoch < epoch) {
        yield "A34 an older lease wrote after a newer one";
      }
      epoch = event.epoch;
      if (event.seq === 1 || isTerminal(event)) {
        continue;
      }
      const { fromSeq: _, ...plain } = event;
      const said = this.#said.get(`${turn._id} ${event.epoch} ${event.seq}`);
      if (said === undefined) {
        yield `A7 nobody said number ${event.seq}`;
      } else if (!isDelta(event) && said.length !== JSON.stringify(plain).length) {
        yield `A7 number ${event.seq} is not what was said`;
      }
    }
    if (turn.status === "aborted" && known?.asked !== true) {
      yield "A3 nobody asked for its abort";
    }
    const work = this.works.findLast(({ order }) => order.turnId === turn._id);
    const saidEnd = work?.said;
    if (!this.mayBeLost && known?.forced !== true && saidEnd !== undefined) {
      if (saidEnd !== turn.status) {
        yield `A2 its drone said ${saidEnd}, it is ${turn.status}`;
      }
    }
    if (this.#completed.has(turn._id) && !isSettled(turn.status)) {
      yield "A35 its completion was acknowledged and is lost";
    }
  }

  *#ofWorks(stored: StoredTurn[]): Generator<string> {
    for (const work of this.works) {
      const { turnId, sessionId } = work.order;
      const known = this.turns.find((turn) => turn.turnId === turnId);
      if (work.wasAborted && known?.asked !== true) {
        yield `A3 ${turnId}: a foreign abort reached it`;
      }
      if (work.isRunning) {
        yield `A34 ${turnId}: its work still runs`;
      }
      for (const earlier of stored) {
        if (earlier.sessionId !== sessionId || earlier._id === turnId) {
          continue;
        }
        const before = this.turns.findIndex((turn) => turn.turnId === earlier._id);
        if (before > this.turns.findIndex((turn) => turn.turnId === turnId)) {
          continue;
        }
        const settledAt = (earlier.settledAt?.getTime() ?? 0) - Date.UTC(2026, 0, 1);
        if (work.startedAt < settledAt) {
          yield `A3 ${turnId} began before its session was free`;
        }
      }
    }
  }
}
