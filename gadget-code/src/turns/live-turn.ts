import {
  brokenCover,
  type DroneId,
  type InstanceId,
  isDelta,
  type Price,
  type SessionId,
  type Size,
  type TurnEvent,
  type TurnId,
  type UserId,
} from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import { compactLog } from "./log/log-events.ts";
import { LogWriter } from "./log/log-writer.ts";
import { PendingEvents } from "./log/pending-events.ts";
import { storableEvent } from "./log/storable-event.ts";
import { noteElsewhere, noteWait, waitAfter } from "./note-log.ts";
import type { AbortIntent } from "./state/abort-intent.ts";
import type { HeldTurn, Taken } from "./state/held-turn.ts";
import { turnAsAsked } from "./state/shown-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";
import { factsAfter, type TurnFacts } from "./state/turn-facts.ts";

/** Deltas alone wait this long for company; anything else is stored at once. */
const batchMs = 200;

interface Start {
  storedSeq: number;
  order: HeldTurn["order"];
  abort: AbortIntent | undefined;
  size?: Size | undefined;
  /** Durable, and what they say beside the log may not be written yet. */
  unnoted?: readonly TurnEvent[];
}

/**
 * A turn that a drone of this node holds. Kept in memory so that an abort waits for no write
 * (A14) and events find their fence without a read.
 */
export class LiveTurn implements HeldTurn {
  readonly turnId: TurnId;
  readonly owner: UserId;
  readonly sessionId: SessionId;
  readonly droneId: DroneId;
  readonly instanceId: InstanceId;
  readonly epoch: number;
  abort: AbortIntent | undefined;
  order: HeldTurn["order"];
  readonly #context: TurnContext;
  readonly #pending: PendingEvents;
  readonly #log: LogWriter;
  #shown: StoredTurn;
  #facts: TurnFacts;
  /** Taken from the drone and published. */
  #receivedSeq: number;
  #unnoted: readonly TurnEvent[];
  /** What the turn is known to wait for in the database. */
  #waitingFor: StoredTurn["waitingFor"];
  #flushing: Promise<void> | undefined;
  #lastFlushAt = 0;
  #isFull = false;
  #isEnding = false;
  /** Their deltas are removed once the turn has ended: until then its end would wait for that. */
  #uncompacted: readonly TurnEvent[] = [];

  /** A lease as this node begins to hold it: all that is stored was received. */
  constructor(
    context: TurnContext,
    turn: StoredTurn,
    { droneId, instanceId }: NonNullable<StoredTurn["lease"]>,
    { storedSeq, order, abort, size, unnoted = [] }: Start,
  ) {
    this.turnId = turn._id;
    this.owner = turn.owner;
    this.sessionId = turn.sessionId;
    this.droneId = droneId;
    this.instanceId = instanceId;
    this.epoch = turn.epoch;
    this.abort = abort;
    this.order = order;
    this.#context = context;
    this.#pending = new PendingEvents(size);
    this.#log = new LogWriter(context, this, storedSeq, (events) => this.#onStored(events));
    this.#shown = turn;
    this.#facts = factsAfter({}, unnoted);
    this.#receivedSeq = storedSeq;
    this.#unnoted = unnoted;
    this.#waitingFor = turn.waitingFor;
  }

  get facts(): TurnFacts {
    return this.#facts;
  }

  get shown(): StoredTurn {
    return { ...this.#shown, ...this.#facts };
  }

  get receivedSeq(): number {
    return this.#receivedSeq;
  }

  get storedSeq(): number {
    return this.#log.storedSeq;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  ordered(nextSeq: number, price: Price | undefined): void {
    this.#receivedSeq = nextSeq - 1;
    this.#log.startAfter(nextSeq - 1);
    const { price: _before, ...shown } = this.#shown;
    this.#shown = { ...shown, ...(price !== undefined && { price }) };
  }

  async take(events: readonly TurnEvent[]): Promise<Taken> {
    const { publish } = this.#context;
    const fresh = events.filter(({ seq }) => seq > this.#receivedSeq).map(storableEvent);
    if (!this.#isFull && brokenCover(fresh, this.#receivedSeq) === undefined) {
      this.#isFull = !this.#pending.add(fresh);
      if (!this.#isFull) {
        this.#receivedSeq = fresh.at(-1)?.seq ?? this.#receivedSeq;
        publish.turnEvents(this, fresh);
        await this.#stored(this.abort !== undefined || fresh.some((event) => !isDelta(event)));
      }
    }
    const isLost = this.#isFull || !this.#isHeld;
    return { storedSeq: this.storedSeq, ...(isLost && { lost: true }) };
  }

  async flushed(): Promise<void> {
    while (this.#flushing !== undefined) {
      await this.#flushing;
    }
    if (this.#pending.isEmpty && this.#unnoted.length === 0) {
      return;
    }
    this.#flushing = this.#storeAll().finally(() => {
      this.#flushing = undefined;
      this.#lastFlushAt = this.#context.elapsed();
    });
    await this.#flushing;
  }

  async ending(): Promise<TurnFacts> {
    this.#isEnding = true;
    await this.flushed();
    return this.#facts;
  }

  letGo(): void {
    this.#context.live.remove(this);
    this.#compact(this.#uncompacted);
    this.#uncompacted = [];
  }

  get #isHeld(): boolean {
    return this.#context.live.get(this.turnId) === this;
  }

  async #stored(atOnce: boolean): Promise<void> {
    const wait = this.#lastFlushAt + batchMs - this.#context.elapsed();
    if (!atOnce && wait > 0) {
      await this.#context.wait(wait);
    }
    await this.flushed();
  }

  async #storeAll(): Promise<void> {
    do {
      const events = this.#pending.next();
      try {
        if (!(await this.#log.append(events, this.#pending.size))) {
          // Somebody ended the turn without us: the log is closed.
          this.letGo();
          this.#pending.clear();
          return;
        }
      } catch (error) {
        this.#pending.putBack(events.filter(({ seq }) => seq > this.storedSeq));
        throw error;
      }
      // They are durable; a drone that hears so sends them never again. So they are noted first.
      await this.#note();
    } while (!this.#pending.isEmpty);
  }

  #onStored(events: readonly TurnEvent[]): void {
    this.#facts = factsAfter(this.#facts, events);
    this.#unnoted = [...this.#unnoted, ...events];
  }

  /** Repeated as a whole where a part of it fails. */
  async #note(): Promise<void> {
    const events = this.#unnoted;
    await noteElsewhere(this.#context, this, events);
    await this.#noteWait(events);
    this.#unnoted = [];
    if (this.#isEnding && this.#isHeld) {
      this.#uncompacted = [...this.#uncompacted, ...events];
    } else {
      this.#compact(events);
    }
  }

  /** What it waits for is the one thing that is written on the turn itself while it runs. */
  async #noteWait(events: readonly TurnEvent[]): Promise<void> {
    if (this.#isEnding) {
      return;
    }
    const wait = waitAfter(events);
    const isNew = wait !== undefined && (wait.waitingFor ?? this.#waitingFor) !== undefined;
    if (isNew) {
      this.#shown = (await noteWait(this.#context, this, wait.waitingFor)) ?? this.#shown;
      // Last: until then a later try writes the wait again.
      this.#waitingFor = wait.waitingFor;
    }
    if (isNew || Object.keys(factsAfter({}, events)).length > 0) {
      const { shown, abort } = this;
      this.#context.publish.turnChanged(abort === undefined ? shown : turnAsAsked(shown, abort));
    }
  }

  /** Nobody waits for it: the log is whole without it, and no read depends on it. */
  #compact(events: readonly TurnEvent[]): void {
    const { models, nodes, log } = this.#context;
    const { turnId } = this;
    compactLog(models, turnId, events, nodes.shared).catch((error: unknown) => {
      log.warn({ err: error, turnId }, "a turn's log could not be compacted");
    });
  }
}
