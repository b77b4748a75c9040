import {
  LogSize,
  RefusalError,
  type TurnEvent,
  type TurnEventBody,
  type TurnEvents,
} from "@gadget/api";
import type { Clock } from "../clock.ts";
import { fittingEvent } from "./fitting-event.ts";
import type { Completion, OutboxLog, OutboxTail } from "./outbox-log.ts";
import { WaitingEvents } from "./waiting-events.ts";

/** A connection to the server, as long as it lasts. */
export interface OutboxLink {
  sendEvents(batch: TurnEvents): Promise<{ storedSeq: number; lost?: boolean | undefined }>;
  sendComplete(turnId: TurnEvents["turnId"], completion: Completion): Promise<void>;
}

export interface OutboxOptions {
  clock: Clock;
  log: OutboxLog;
  /** The server's time, for events. */
  instant(): string;
  /** Whether the lease still lets us write. */
  mayWrite(): boolean;
  /** The server says that the turn is not ours any more. */
  onLost(): void;
}

const joinMs = 40;
const retryMs = 1_000;
const batchEvents = 1_000;
const batchCharacters = 400_000;
/** More than this unacknowledged, and whoever makes events should wait. */
const roomCharacters = 4_000_000;

/** The rest is for the step that is under way. */
const fullShare = 0.75;

type State = "open" | "delivered" | "dropped";

interface Unstored {
  event: TurnEvent;
  /** As it stands in the log, and how large it is. */
  line: string;
}

/**
 * One turn's events on their way to the server (rule A35): numbers them, keeps them until they are
 * stored there, sends them again after every reconnect, in order, and the completion after them.
 */
export class Outbox {
  readonly turnId: TurnEvents["turnId"];
  readonly epoch: number;
  readonly #options: OutboxOptions;
  readonly #waiting = new WaitingEvents();
  #unstored: Unstored[];
  #nextSeq: number;
  #sentSeq: number;
  #size = 0;
  readonly #logSize = new LogSize();
  #flushedAt = Number.NEGATIVE_INFINITY;
  #cancelFlush: (() => void) | undefined;
  #link: OutboxLink | undefined;
  #completion: Completion | undefined;
  #completionSent = false;
  #completionStored: boolean;
  #retrying = false;
  #state: State = "open";
  #onRoom: (() => void)[] = [];
  #resolveOver = () => {};
  /** Resolves when the server holds everything, or nothing more may be written. */
  readonly over: Promise<void>;

  /** `isTail`: the loop died with an earlier process, so that no completion may ever come. */
  constructor(tail: OutboxTail, options: OutboxOptions, isTail = false) {
    this.turnId = tail.turnId;
    this.epoch = tail.epoch;
    this.#options = options;
    this.#nextSeq = tail.nextSeq;
    this.#unstored = tail.events.map((event) => ({ event, line: JSON.stringify({ event }) }));
    this.#sentSeq = (tail.events[0]?.seq ?? tail.nextSeq) - 1;
    this.#completion = tail.completion;
    this.#completionStored = isTail && tail.completion === undefined;
    for (const { line } of this.#unstored) {
      this.#size += line.length;
    }
    this.over = new Promise((resolve) => {
      this.#resolveOver = resolve;
    });
  }

  /** It was given up: nothing more of it is told to the server. */
  get isDropped(): boolean {
    return this.#state === "dropped";
  }

  /** The turn has written nearly all it may: there is room for its end, not for another step. */
  get isFull(): boolean {
    return this.#logSize.isOver(fullShare);
  }

  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /**
   * Takes an event; it is numbered within 40 ms, joined with deltas that came meanwhile, and not
   * before `atLeastMs` has passed: for one that more is expected to follow at once.
   */
  push(body: TurnEventBody, atLeastMs = 0): void {
    if (this.#state !== "open" || this.#completion !== undefined) {
      return;
    }
    this.#waiting.add(body);
    if (this.#cancelFlush !== undefined) {
      return;
    }
    const wait = Math.max(atLeastMs, this.#flushedAt + joinMs - this.#options.clock.now());
    this.#cancelFlush = this.#options.clock.after(wait, () => this.flush());
  }

  /** Numbers and sends at once what has come so far. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#state !== "open" || !this.#options.mayWrite()) {
      return;
    }
    const lines = this.#waiting.take().map((body) => this.#number(body));
    if (lines.length > 0) {
      this.#flushedAt = this.#options.clock.now();
      this.#options.log.append(lines);
    }
    this.#pump();
  }

  /** The connection is there, and the server holds everything up to `storedSeq`, if it said so. */
  connect(link: OutboxLink, storedSeq = 0): void {
    this.#link = link;
    this.#stored(storedSeq);
    this.#resend();
  }

  disconnect(): void {
    this.#link = undefined;
  }

  /** The work order has ended. Resolves when the server has acknowledged it, or it was dropped. */
  async complete(completion: Completion): Promise<void> {
    this.flush();
    if (this.#state === "open" && this.#completion === undefined) {
      this.#completion = completion;
      this.#options.log.complete(completion);
      this.#pump();
    }
    await this.over;
  }

  written(): Promise<void> {
    return this.#options.log.written();
  }

  /** Nothing more may be written for this turn: the lease is lost. */
  drop(): void {
    if (this.#state === "open") {
      this.#end("dropped");
    }
  }

  /** Waits while too much is unacknowledged, so that a slow server slows the work down. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#size > roomCharacters && this.#state === "open" && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener("abort", done);
          resolve();
        };
        signal.addEventListener("abort", done, { once: true });
        this.#onRoom.push(done);
      });
    }
  }

  #number(body: TurnEventBody): string {
    const head = { turnId: this.turnId, seq: this.#nextSeq, epoch: this.epoch };
    const event = fittingEvent({ ...body, ...head, at: this.#options.instant() });
    const line = JSON.stringify({ event });
    this.#logSize.add(event, line.length);
    this.#nextSeq += 1;
    this.#size += line.length;
    this.#unstored.push({ event, line });
    return line;
  }

  #pump(): void {
    const link = this.#link;
    if (link === undefined || this.#state !== "open" || !this.#options.mayWrite()) {
      return;
    }
    for (const batch of this.#unsent()) {
      this.#sentSeq = batch.at(-1)?.seq ?? this.#sentSeq;
      const sending = link.sendEvents({ turnId: this.turnId, epoch: this.epoch, events: batch });
      this.#settle(link, sending, ({ storedSeq, lost }) => {
        if (lost === true) {
          this.#lose();
        } else {
          this.#stored(storedSeq);
        }
      });
    }
    if (this.#completion === undefined || this.#completionSent) {
      return;
    }
    this.#completionSent = true;
    // Behind the events on the same connection; it need not wait until they are stored.
    this.#settle(link, link.sendComplete(this.turnId, this.#completion), () => {
      this.#completionStored = true;
      this.#check();
    });
  }

  #settle<Answer>(link: OutboxLink, sending: Promise<Answer>, then: (answer: Answer) => void) {
    sending.then(then).catch((error: unknown) => {
      if (this.#link !== link || this.#state !== "open") {
        return;
      }
      if (isFinal(error)) {
        this.#lose();
      } else {
        this.#retry();
      }
    });
  }

  #retry(): void {
    if (this.#retrying) {
      return;
    }
    this.#retrying = true;
    this.#options.clock.after(retryMs, () => {
      this.#retrying = false;
      // Over whichever connection there is by then: it may have failed meanwhile as well.
      if (this.#link !== undefined) {
        this.#resend();
      }
    });
  }

  #unsent(): TurnEvent[][] {
    const batches: TurnEvent[][] = [];
    let batch: TurnEvent[] = [];
    let characters = 0;
    const first = this.#unstored.findIndex(({ event }) => event.seq > this.#sentSeq);
    for (const { event, line } of first === -1 ? [] : this.#unstored.slice(first)) {
      const full = characters + line.length > batchCharacters || batch.length >= batchEvents;
      if (batch.length > 0 && full) {
        batches.push(batch);
        batch = [];
        characters = 0;
      }
      batch.push(event);
      characters += line.length;
    }
    return batch.length > 0 ? [...batches, batch] : batches;
  }

  #resend(): void {
    this.#sentSeq = (this.#unstored[0]?.event.seq ?? this.#nextSeq) - 1;
    this.#completionSent = false;
    this.flush();
  }

  #stored(storedSeq: number): void {
    if (this.#state !== "open") {
      return;
    }
    const kept = this.#unstored.findIndex(({ event }) => event.seq > storedSeq);
    const gone = this.#unstored.splice(0, kept === -1 ? this.#unstored.length : kept);
    for (const { line } of gone) {
      this.#size -= line.length;
    }
    if (this.#unstored.length === 0 && gone.length > 0 && this.#completion === undefined) {
      this.#options.log.forget(this.#nextSeq);
    }
    if (this.#size <= roomCharacters) {
      for (const resume of this.#onRoom.splice(0)) {
        resume();
      }
    }
    this.#check();
  }

  #check(): void {
    if (this.#unstored.length === 0 && this.#completionStored) {
      this.#end("delivered");
    }
  }

  #lose(): void {
    if (this.#state !== "open") {
      return;
    }
    this.#end("dropped");
    this.#options.onLost();
  }

  #end(state: State): void {
    this.#state = state;
    this.#cancelFlush?.();
    this.#unstored = [];
    this.#size = 0;
    this.#link = undefined;
    for (const resume of this.#onRoom.splice(0)) {
      resume();
    }
    // The file goes before anybody is told, so that no later process takes it for a tail.
    void this.#options.log.remove().then(this.#resolveOver);
  }
}

/** A refusal that no later try can change. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof RefusalError &&
    !["unavailable", "internal", "rate_limited"].includes(error.code)
  );
}
