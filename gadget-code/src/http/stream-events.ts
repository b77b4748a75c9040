import {
  coverStart,
  isSettled,
  isTerminal,
  type TurnEvent,
  type TurnId,
  type UserId,
} from "@gadget/api";
import type { Response } from "express";
import type { StoredTurn } from "../models/chat-turn.ts";
import { eventPages, firstEvents, lastStoredSeq } from "../turns/log/log-events.ts";
import type { HttpContext } from "./http-context.ts";
import { type Call, whoAsks } from "./router.ts";

const keepAliveMs = 15_000;
/** So much may wait for a slow reader; the rest it gets from the log once it has caught up. */
const mostWaiting = 1_000_000;
/** So much of what comes live is kept while the log is read; after more it is read again. */
const mostEarly = 1_000_000;
const oneEvent = { events: 1, characters: 0 };
/** Events are published before they are stored: so soon the log is asked again for a gap. */
const gapMs = 100;

type Reader = Pick<Call<"listEvents">, "user" | "credential" | "req" | "res">;

/** A turn's events from a number on, as an event stream, until the turn settles. */
export async function streamEvents(
  context: HttpContext,
  { user: { _id: user }, credential, req, res }: Reader,
  turnId: TurnId,
  after: number,
): Promise<void> {
  const leave = await context.limits.streams.enter(user);
  res.once("close", leave);
  if (res.closed) {
    leave();
    return;
  }
  res.status(200).set({
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    // A proxy such as nginx would hold events back until its buffer is full.
    "X-Accel-Buffering": "no",
  });
  res.flushHeaders();
  const stream = new EventStream(context, user, turnId, after, res);
  const forget = context.streams.add({ userId: user, credential, close: () => res.destroy() });
  // A credential that was revoked meanwhile sees nothing more.
  const check = (): void => {
    whoAsks(context, req)
      .then((identity) => identity ?? res.destroy())
      .catch(() => res.destroy());
  };
  check();
  const keepAlive = setInterval(() => {
    if (!res.writableEnded) {
      res.write(": still here\n\n");
    }
    // Another node's last word is lost when it is said while the broker is away.
    if (context.nodes.shared) {
      stream.lookAgain();
    }
    check();
  }, keepAliveMs);
  res.on("close", () => {
    forget();
    clearInterval(keepAlive);
    stream.stop();
  });
  await stream.catchUp();
}

/**
 * Sends live events as they come, as long as they follow right after what was sent. Where they
 * don't, or where the reader is slow, it drops them and reads on in the log.
 */
class EventStream {
  readonly #context: HttpContext;
  readonly #user: UserId;
  readonly #turnId: TurnId;
  readonly #res: Response;
  readonly #unsubscribe: () => void;
  #sent: number;
  #mode: "live" | "reading" | "waiting" = "reading";
  /** Live events that came while the log was read; undefined: too many, the log has them. */
  #early: TurnEvent[] | undefined = [];
  #earlyCharacters = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: HttpContext, user: UserId, turnId: TurnId, after: number, res: Response) {
    this.#context = context;
    this.#user = user;
    this.#turnId = turnId;
    this.#res = res;
    this.#sent = after;
    // Before the log is read for the first time, so that nothing falls in between.
    this.#unsubscribe = context.feed.subscribe(turnId, (events) => {
      if (events === undefined) {
        this.lookAgain();
      } else if (this.#mode === "reading") {
        this.#keep(events);
      } else if (this.#mode === "live") {
        this.#send(events);
      }
    });
    res.on("drain", () => {
      if (this.#mode === "waiting") {
        this.#catchUpNow();
      }
    });
  }

  stop(): void {
    this.#unsubscribe();
    clearTimeout(this.#timer);
  }

  /** Reads on in the log where nothing else is under way that would. */
  lookAgain(): void {
    if (this.#isLive) {
      this.#catchUpNow();
    }
  }

  catchUp(): Promise<void> {
    this.#mode = "reading";
    return this.#context.limits.streamReads.run(this.#user, () => this.#read());
  }

  async #read(): Promise<void> {
    const { models } = this.#context;
    this.#early = [];
    this.#earlyCharacters = 0;
    for await (const page of eventPages(models, this.#turnId, this.#sent)) {
      this.#send(page);
      if (this.#isWaiting || this.#res.destroyed) {
        return;
      }
    }
    const early = this.#early;
    this.#mode = "live";
    if (early === undefined) {
      this.#waitForLog();
      return;
    }
    this.#send(early);
    if (this.#isLive && !this.#res.writableEnded) {
      await this.#sendLateEnd();
    }
  }

  #keep(events: readonly TurnEvent[]): void {
    const early = this.#early;
    if (early === undefined) {
      return;
    }
    early.push(...events);
    this.#earlyCharacters += JSON.stringify(events).length;
    if (this.#earlyCharacters > mostEarly) {
      this.#early = undefined;
    }
  }

  get #isWaiting(): boolean {
    return this.#mode === "waiting";
  }

  get #isLive(): boolean {
    return this.#mode === "live";
  }

  #send(events: readonly TurnEvent[]): void {
    for (const event of events) {
      const res = this.#res;
      // A terminal event below what was shown still ends the stream: it is the last word.
      if (res.writableEnded || res.destroyed || (event.seq <= this.#sent && !isTerminal(event))) {
        continue;
      }
      if (coverStart(event) > this.#sent + 1) {
        this.#waitForLog();
        return;
      }
      if (res.writableLength > mostWaiting) {
        this.#mode = "waiting";
        return;
      }
      res.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      this.#sent = event.seq;
      if (isTerminal(event)) {
        res.end();
      }
    }
  }

  #waitForLog(): void {
    this.#mode = "waiting";
    this.#timer = setTimeout(() => this.#catchUpNow(), gapMs);
  }

  #catchUpNow(): void {
    clearTimeout(this.#timer);
    if (this.#res.destroyed) {
      return;
    }
    this.catchUp().catch((error: unknown) => {
      this.#context.log.error({ err: error, turnId: this.#turnId }, "an event stream ended early");
      this.#res.destroy();
    });
  }

  /** One who comes back with a number at or above the end would wait for ever. */
  async #sendLateEnd(): Promise<void> {
    const { models } = this.#context;
    const turn = await models.turns.findById(this.#turnId).lean<StoredTurn>();
    if (turn !== null && !isSettled(turn.status)) {
      return;
    }
    const last = (await lastStoredSeq(models, this.#turnId)) - 1;
    const { events } = await firstEvents(models, this.#turnId, last, oneEvent);
    this.#send(events.filter(isTerminal));
    if (turn === null) {
      this.#res.end();
    }
  }
}
