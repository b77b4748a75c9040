import { isSettled, isTerminal, type TurnEvent, type TurnId } from "@gadget/api";
import type { Request, Response } from "express";
import type { StoredTurn } from "../models/chat-turn.ts";
import { lastStoredSeq, readEvents } from "../turns/event-log.ts";
import type { HttpContext } from "./http-context.ts";
import { whoAsks } from "./router.ts";

const keepAliveMs = 15_000;
/** So much may wait for a slow reader; the rest it gets from the log once it has caught up. */
const mostWaiting = 1_000_000;

/**
 * Streams a turn's events from a number on until the turn settles. It listens before it reads
 * the log, so nothing falls in between; numbers keep both apart.
 */
export async function streamEvents(
  context: HttpContext,
  turnId: TurnId,
  after: number,
  req: Request,
  res: Response,
): Promise<void> {
  const { models, feed, log } = context;
  res.status(200).set({ "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  res.flushHeaders();
  let sent = after;
  /** Live events that came while the log is read; undefined: they are sent at once. */
  let early: TurnEvent[] | undefined;
  let behind = false;

  const send = (events: readonly TurnEvent[]): void => {
    for (const event of events) {
      // A terminal event below what was shown still ends the stream: it is the last word.
      if (res.writableEnded || (event.seq <= sent && !isTerminal(event))) continue;
      if (res.writableLength > mostWaiting) {
        behind = true;
        return;
      }
      res.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      sent = event.seq;
      if (isTerminal(event)) res.end();
    }
  };
  const catchUp = async (): Promise<void> => {
    behind = false;
    early = [];
    send(await readEvents(models, turnId, sent));
    const missed = early;
    early = undefined;
    if (!behind) send(missed);
    if (!behind && !res.writableEnded) await sendLateEnd();
  };
  /** One who comes back with a number at or above the end would wait for ever. */
  const sendLateEnd = async (): Promise<void> => {
    const turn = await models.turns.findById(turnId).lean<StoredTurn>();
    if (turn !== null && !isSettled(turn.status)) return;
    const last = await readEvents(models, turnId, (await lastStoredSeq(models, turnId)) - 1);
    send(last.filter(isTerminal));
    if (turn === null) res.end();
  };
  const failed = (error: unknown): void => {
    log.error({ err: error, turnId }, "an event stream ended early");
    res.destroy();
  };

  const stop = feed.subscribe(turnId, (events) => {
    if (early !== undefined) early.push(...events);
    else if (!behind) send(events);
  });
  res.on("drain", () => {
    if (behind) catchUp().catch(failed);
  });
  const keepAlive = setInterval(() => {
    res.write(": still here\n\n");
    // A credential that was revoked meanwhile sees nothing more.
    whoAsks(context, req)
      .then((identity) => identity ?? res.end())
      .catch(failed);
  }, keepAliveMs);
  res.on("close", () => {
    clearInterval(keepAlive);
    stop();
  });
  await catchUp();
}
