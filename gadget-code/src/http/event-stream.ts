import { isTerminal, type TurnEvent, type TurnId } from "@gadget/api";
import type { Response } from "express";
import { readEvents } from "../turns/event-log.ts";
import type { HttpContext } from "./http-context.ts";

const keepAliveMs = 15_000;

/**
 * Streams a turn's events from a number on until the turn settles. It listens before it reads
 * the log, so nothing falls in between; numbers keep both apart.
 */
export async function streamEvents(
  { models, feed }: HttpContext,
  turnId: TurnId,
  after: number,
  res: Response,
): Promise<void> {
  res.status(200).set({ "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  res.flushHeaders();
  let sent = after;
  let early: TurnEvent[] | undefined = [];
  const send = (events: readonly TurnEvent[]): void => {
    for (const event of events) {
      // A terminal event below what was shown still ends the stream: it is the last word.
      if (res.writableEnded || (event.seq <= sent && !isTerminal(event))) continue;
      res.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      sent = event.seq;
      if (isTerminal(event)) res.end();
    }
  };
  const stop = feed.subscribe(turnId, (events) => {
    if (early !== undefined) early.push(...events);
    else send(events);
  });
  const keepAlive = setInterval(() => res.write(": still here\n\n"), keepAliveMs);
  res.on("close", () => {
    clearInterval(keepAlive);
    stop();
  });
  send(await readEvents(models, turnId, after));
  const missed = early;
  early = undefined;
  send(missed);
}
