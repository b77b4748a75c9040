import {
  brokenCover,
  coverStart,
  type DroneId,
  isDelta,
  isTerminal,
  RefusalError,
  type TurnEvent,
  type TurnEvents,
  type TurnId,
} from "@gadget/api";
import { isUnstorable } from "../models/is-database-trouble.ts";
import { hasRoom, nextBatch, putBack } from "./log/has-room.ts";
import { appendEvents, compactLog, lastStoredSeq } from "./log/log-events.ts";
import { noticeInstead, storableEvent } from "./log/storable-event.ts";
import { noteEvents } from "./note-events.ts";
import type { LiveTurn } from "./state/live-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

/** Deltas alone wait this long for company; anything else is stored at once. */
const batchMs = 200;

export interface Ingested {
  storedSeq: number;
  lost?: boolean;
}

/**
 * Takes a drone's events: fenced by its lease, idempotent by seq, published at once, and
 * acknowledged when they are durable (A35).
 */
export async function ingest(
  context: TurnContext,
  droneId: DroneId,
  { turnId, epoch, events }: TurnEvents,
): Promise<Ingested> {
  const turn = context.live.get(turnId);
  if (turn === undefined || turn.droneId !== droneId || turn.epoch !== epoch) {
    return { storedSeq: 0, lost: true };
  }
  if (turn.full) {
    return { storedSeq: turn.storedSeq, lost: true };
  }
  const isOwn = (event: TurnEvent): boolean => event.turnId === turnId && event.epoch === epoch;
  if (events.some((event) => !isOwn(event) || isTerminal(event))) {
    throw new RefusalError("invalid", "A drone writes only its own turn, and never its end.");
  }
  turn.order = "taken";
  const fresh = events.filter((event) => event.seq > turn.receivedSeq).map(storableEvent);
  if (brokenCover(fresh, turn.receivedSeq) === undefined) {
    if (!hasRoom(turn, fresh)) {
      turn.full = true;
      return { storedSeq: turn.storedSeq, lost: true };
    }
    turn.receivedSeq = fresh.at(-1)?.seq ?? turn.receivedSeq;
    turn.pending.push(...fresh);
    context.publish.turnEvents(turn, fresh);
    const hurry = turn.abort !== undefined || fresh.some((event) => !isDelta(event));
    await (hurry ? flush(context, turn) : flushSoon(context, turn));
  }
  const lost = context.live.get(turnId) !== turn;
  return lost ? { storedSeq: turn.storedSeq, lost } : { storedSeq: turn.storedSeq };
}

function flushSoon(context: TurnContext, turn: LiveTurn): Promise<void> {
  const wait = turn.lastFlushAt + batchMs - context.elapsed();
  if (wait <= 0) {
    return flush(context, turn);
  }
  return context.wait(wait).then(() => flush(context, turn));
}

/** Makes durable what was received; one write at a time a turn, so that numbers stay in order. */
export async function flush(context: TurnContext, turn: LiveTurn): Promise<void> {
  while (turn.flushing !== undefined) {
    await turn.flushing;
  }
  if (turn.pending.length === 0 && turn.unnoted.length === 0) {
    return;
  }
  turn.flushing = storeAll(context, turn).finally(() => {
    turn.flushing = undefined;
    turn.lastFlushAt = context.elapsed();
  });
  await turn.flushing;
}

async function storeAll(context: TurnContext, turn: LiveTurn): Promise<void> {
  do {
    await store(context, turn);
  } while (turn.pending.length > 0);
}

async function store(context: TurnContext, turn: LiveTurn): Promise<void> {
  const { live } = context;
  const events = nextBatch(turn);
  try {
    const kept = await append(context, turn, events);
    if (kept === undefined) {
      // Somebody ended the turn without us: the log is closed.
      live.remove(turn);
      turn.pending = [];
      return;
    }
    turn.storedSeq = Math.max(turn.storedSeq, events.at(-1)?.seq ?? 0);
    turn.unnoted.push(...kept);
  } catch (error) {
    putBack(turn, events);
    throw error;
  }
  // They are durable; a drone that hears so sends them never again. So they are noted first.
  const noting = turn.unnoted;
  await noteEvents(context, turn, noting);
  turn.unnoted = [];
  if (turn.ending === undefined) {
    compact(context, turn.turnId, noting);
  } else {
    turn.ending.events.push(...noting);
  }
}

/** Nobody waits for it: the log is whole without it, and no read depends on it. */
export function compact(
  { models, log, nodes }: TurnContext,
  turnId: TurnId,
  events: readonly TurnEvent[],
): void {
  compactLog(models, turnId, events, nodes.shared).catch((error: unknown) => {
    log.warn({ err: error, turnId }, "a turn's log could not be compacted");
  });
}

/**
 * Appends what is to be stored and gives it back; undefined: the turn goes on without us. Where the
 * database refuses the whole for good, each event is stored by itself, and a notice stands in the
 * place of one that can never be.
 */
async function append(
  context: TurnContext,
  turn: LiveTurn,
  events: readonly TurnEvent[],
): Promise<readonly TurnEvent[] | undefined> {
  try {
    return (await appendRest(context, turn, events)) ? events : undefined;
  } catch (error) {
    if (!isUnstorable(error)) {
      throw error;
    }
    const [only] = events;
    if (only !== undefined && events.length === 1) {
      const { turnId } = turn;
      const { seq, type } = only;
      context.log.error(
        { err: error, turnId, seq, type },
        "an event can't be stored: it is left out",
      );
      const notice = noticeInstead(
        only,
        `An event (${type}) could not be stored and was left out.`,
      );
      return (await appendRest(context, turn, [notice])) ? [notice] : undefined;
    }
  }
  const kept: TurnEvent[] = [];
  for (const event of events) {
    const one = await append(context, turn, [event]);
    if (one === undefined) {
      return undefined;
    }
    turn.storedSeq = event.seq;
    kept.push(...one);
  }
  return kept;
}

/**
 * A drone that went from one node to another sends again what it had no answer for, while the
 * node that it left may still store it: both write the same numbers, each goes on after the other.
 */
async function appendRest(
  { models }: TurnContext,
  turn: LiveTurn,
  events: readonly TurnEvent[],
): Promise<boolean> {
  const { turnId, epoch } = turn;
  const own = { _id: turnId, owner: turn.owner };
  let rest = events;
  while (!(await appendEvents(models, own, rest, turn.size.size))) {
    const stored = await lastStoredSeq(models, turnId);
    const goesOn = await models.turns.exists({ _id: turnId, epoch, unsettled: true });
    if (goesOn === null || stored <= turn.storedSeq) {
      return false;
    }
    turn.storedSeq = stored;
    rest = rest
      .filter((event) => event.seq > stored)
      .map((event) => (coverStart(event) > stored ? event : { ...event, fromSeq: stored + 1 }));
  }
  return true;
}
