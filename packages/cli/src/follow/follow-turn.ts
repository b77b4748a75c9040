import { setTimeout as delay } from "node:timers/promises";
import {
  coverStart,
  isSettled,
  isTerminal,
  RefusalError,
  type TurnEvent,
  type TurnId,
} from "@gadget/api";
import type { Client } from "../client.ts";
import { EventSource } from "./event-source.ts";
import { readEvents } from "./read-events.ts";

/** The server says something every 15 s; a connection that is silent for longer is dead. */
const silenceMs = 40_000;
const firstPauseMs = 150;
const longestPauseMs = 3_000;
/** As long as a drone keeps a turn without the server, by default. */
const patienceMs = 600_000;

export interface FollowOptions {
  client: Client;
  turnId: TurnId;
  signal: AbortSignal;
  /** The server can't be reached and is tried again (true), or is back (false). */
  onLost: (lost: boolean) => void;
}

/**
 * A turn's events from its first one until it settles, in the batches in which they arrive. A lost
 * connection, a restart of the server included, is taken up after the last event that was seen.
 */
export async function* followTurn(options: FollowOptions): AsyncGenerator<TurnEvent[]> {
  const { client, turnId, signal, onLost } = options;
  let last = 0;
  let pause = firstPauseMs;
  let excused: number | undefined;
  let lostAt: number | undefined;
  let told = false;
  for (let again = false; ; again = true) {
    try {
      const end = again ? await missedEnd(client, turnId, last, signal) : undefined;
      if (end !== undefined) {
        yield end;
        return;
      }
      for await (const events of stream(client, turnId, last, signal)) {
        if (told) {
          onLost(false);
        }
        told = false;
        lostAt = undefined;
        if (events.length === 0) {
          continue;
        }
        pause = firstPauseMs;
        const whole = upToGap(events, last, excused);
        last = whole.at(-1)?.seq ?? last;
        if (whole.length > 0) {
          yield whole;
        }
        if (whole.some(isTerminal)) {
          return;
        }
        if (whole.length < events.length) {
          // A gap is read again from the log, once: an event may be of a kind unknown here.
          excused = last;
          break;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error)) {
        throw error;
      }
      if (lostAt !== undefined && !told) {
        onLost(true);
      }
      told ||= lostAt !== undefined;
      lostAt ??= performance.now();
      if (performance.now() - lostAt > patienceMs) {
        throw error;
      }
    }
    await delay(pause, undefined, { signal });
    pause = Math.min(pause * 1.6, longestPauseMs);
  }
}

/**
 * What a turn that settled meanwhile still has to show. Its end may have a lower number than what
 * was seen (the tail of a lost drone was never stored); no stream after that number would bring it.
 */
async function missedEnd(
  client: Client,
  turnId: TurnId,
  after: number,
  signal: AbortSignal,
): Promise<TurnEvent[] | undefined> {
  const { turn } = await client.request("getTurn", { params: { id: turnId }, signal });
  if (!isSettled(turn.status)) {
    return undefined;
  }
  const events = await readEvents(client, turnId, after, signal);
  if (events.some(isTerminal)) {
    return events;
  }
  return (await readEvents(client, turnId, 0, signal)).filter(isTerminal);
}

/** One connection's events, until it ends; an empty batch says that it is open. */
async function* stream(
  client: Client,
  turnId: TurnId,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent[]> {
  const response = await client.openEvents(turnId, after, signal);
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return;
  }
  const decoder = new TextDecoder();
  const source = new EventSource();
  const hangUp = () => void reader.cancel().catch(() => undefined);
  // fetch forgets its signal once the response is there and its request was collected as garbage.
  signal.addEventListener("abort", hangUp, { once: true });
  try {
    yield [];
    for (;;) {
      signal.throwIfAborted();
      const silence = setTimeout(hangUp, silenceMs);
      const { done, value } = await reader
        .read()
        .catch(() => {
          throw new RefusalError("unavailable");
        })
        .finally(() => clearTimeout(silence));
      if (done) {
        return signal.throwIfAborted();
      }
      const events = source.push(decoder.decode(value, { stream: true }));
      if (events.length > 0) {
        yield events;
      }
    }
  } finally {
    signal.removeEventListener("abort", hangUp);
    await reader.cancel().catch(() => undefined);
  }
}

/** The events that join on to what was seen; a terminal one always does: it is the last word. */
function upToGap(events: TurnEvent[], last: number, excused: number | undefined): TurnEvent[] {
  let seen = last;
  const gap = events.findIndex((event) => {
    const joins = coverStart(event) <= seen + 1 || seen === excused || isTerminal(event);
    if (!joins) {
      return true;
    }
    seen = Math.max(seen, event.seq);
    return false;
  });
  return gap === -1 ? events : events.slice(0, gap);
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof RefusalError &&
    ["unavailable", "internal", "rate_limited"].includes(error.code)
  );
}
