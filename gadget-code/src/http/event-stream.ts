import { coverStart, isSettled, isTerminal, type TurnEvent, type TurnId } from "@gadget/api";
import type { Request, Response } from "express";
import type { StoredTurn } from "../models/chat-turn.ts";
import { lastStoredSeq, readEvents } from "../turns/event-log.ts";
import type { HttpContext } from "./http-context.ts";
import { whoAsks } from "./router.ts";

const keepAliveMs = 15_000;
/** So much may wait for a slow reader; the rest it gets from the log once it has caught up. */
const mostWaiting = 1_000_000;
/** Events are published before they are stored: so soon the log is asked again for a gap. */
const gapMs = 100;

/** A turn's events from a number on, as an event stream, until the turn settles. */
export async function streamEvents(
  context: HttpContext,
  turnId: TurnId,
  after: number,
  req: Request,
  res: Response,
): Promise<void> {
  res.status(200).set({ "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  res.flushHeaders();
  const stream = new EventStream(context, turnId, after, res);
  const keepAlive = setInterval(() => {
    res.write(": still here\n\n");
    // Another node's last word is lost when it is said while the broker is away.
    if (context.nodes.shared) stream.lookAgain();
    // A credential that was revoked meanwhile sees nothing more.
    whoAsks(context, req)
      .then((identity) => identity ?? res.end())
      .catch(() => res.destroy());
  }, keepAliveMs);
  res.on("close", () => {
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
  readonly #turnId: TurnId;
  readonly #res: Response;
  readonly #unsubscribe: () => void;
  #sent: number;
  #mode: "live" | "reading" | "waiting" = "reading";
  /** Live events that came while the log was read. */
  #early: TurnEvent[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(context: HttpContext, turnId: TurnId, after: number, res: Response) {
    this.#context = context;
    this.#turnId = turnId;
    this.#res = res;
    this.#sent = after;
    // Before the log is read for the first time, so that nothing falls in between.
    this.#unsubscribe = context.feed.subscribe(turnId, (events) => {
      if (events === undefined) this.lookAgain();
      else if (this.#mode === "reading") this.#early.push(...events);
      else if (this.#mode === "live") this.#send(events);
    });
    res.on("drain", () => {
      if (this.#mode === "waiting") this.#catchUpNow();
    });
  }

  stop(): void {
    this.#unsubscribe();
    clearTimeout(this.#timer);
  }

  /** Reads on in the log where nothing else is under way that would. */
  lookAgain(): void {
    if (this.#isLive) this.#catchUpNow();
  }

  async catchUp(): Promise<void> {
    const { models } = this.#context;
    this.#mode = "reading";
    this.#early = [];
    const stored = await readEvents(models, this.#turnId, this.#sent);
    this.#mode = "live";
    this.#send(stored);
    if (this.#isLive) this.#send(this.#early);
    if (this.#isLive && !this.#res.writableEnded) await this.#sendLateEnd();
  }

  get #isLive(): boolean {
    return this.#mode === "live";
  }

  #send(events: readonly TurnEvent[]): void {
    for (const event of events) {
      const res = this.#res;
      // A terminal event below what was shown still ends the stream: it is the last word.
      if (res.writableEnded || (event.seq <= this.#sent && !isTerminal(event))) continue;
      if (coverStart(event) > this.#sent + 1) {
        this.#mode = "waiting";
        this.#timer = setTimeout(() => this.#catchUpNow(), gapMs);
        return;
      }
      if (res.writableLength > mostWaiting) {
        this.#mode = "waiting";
        return;
      }
      res.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      this.#sent = event.seq;
      if (isTerminal(event)) res.end();
    }
  }

  #catchUpNow(): void {
    clearTimeout(this.#timer);
    this.catchUp().catch((error: unknown) => {
      this.#context.log.error({ err: error, turnId: this.#turnId }, "an event stream ended early");
      this.#res.destroy();
    });
  }

  /** One who comes back with a number at or above the end would wait for ever. */
  async #sendLateEnd(): Promise<void> {
    const { models } = this.#context;
    const turn = await models.turns.findById(this.#turnId).lean<StoredTurn>();
    if (turn !== null && !isSettled(turn.status)) return;
    const last = (await lastStoredSeq(models, this.#turnId)) - 1;
    const end = (await readEvents(models, this.#turnId, last)).filter(isTerminal);
    this.#send(end);
    if (turn === null) this.#res.end();
  }
}
