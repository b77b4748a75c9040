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
import type { StoredTurn } from "../models/chat-turn.ts";
import { allowInSession } from "./allow-in-session.ts";
import { appendEvents, compactLog, lastStoredSeq } from "./event-log.ts";
import type { LiveTurn } from "./live-turn.ts";
import { dropDelivered } from "./message.ts";
import { rememberWait } from "./session-turn.ts";
import type { TurnContext } from "./turn-context.ts";

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
  if (events.some((event) => event.turnId !== turnId || isTerminal(event))) {
    throw new RefusalError("invalid", "A drone writes only its own turn, and never its end.");
  }
  turn.order = "taken";
  const fresh = events.filter((event) => event.seq > turn.receivedSeq);
  if (brokenCover(fresh, turn.receivedSeq) === undefined) {
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
  if (wait <= 0) return flush(context, turn);
  return context.wait(wait).then(() => flush(context, turn));
}

/** Makes durable what was received; one write at a time a turn, so that numbers stay in order. */
export async function flush(context: TurnContext, turn: LiveTurn): Promise<void> {
  while (turn.flushing !== undefined) await turn.flushing;
  if (turn.pending.length === 0) return;
  turn.flushing = store(context, turn).finally(() => {
    turn.flushing = undefined;
    turn.lastFlushAt = context.elapsed();
  });
  await turn.flushing;
}

async function store(context: TurnContext, turn: LiveTurn): Promise<void> {
  const { models, live } = context;
  const events = turn.pending;
  turn.pending = [];
  try {
    if (!(await append(context, turn, events))) {
      // Somebody ended the turn without us: the log is closed.
      live.remove(turn);
      return;
    }
  } catch (error) {
    turn.pending = [...events, ...turn.pending];
    throw error;
  }
  turn.storedSeq = Math.max(turn.storedSeq, events.at(-1)?.seq ?? 0);
  const steered = events.flatMap((event) =>
    event.type === "message:steered" ? [event.messageId] : [],
  );
  if (steered.length > 0) await dropDelivered(context, turn, steered);
  for (const event of events) {
    if (event.type === "history:compacted") {
      const { summary, throughTurnId } = event;
      const compacted = { summary, throughTurnId };
      await models.sessions.updateOne({ _id: turn.sessionId }, { $set: { compacted } });
    }
    if (event.type === "approval:closed" && event.decision === "session") {
      await allowInSession(context, turn, event.approvalId);
    }
  }
  await noteOnTurn(context, turn, events);
  if (turn.ending === undefined) compact(context, turn.turnId, events);
  else turn.ending.events.push(...events);
}

/** Nobody waits for it: the log is whole without it, and no read depends on it. */
export function compact(
  { models, log }: TurnContext,
  turnId: TurnId,
  events: readonly TurnEvent[],
): void {
  compactLog(models, turnId, events).catch((error: unknown) => {
    log.warn({ err: error, turnId }, "a turn's log could not be compacted");
  });
}

/**
 * A drone that went from one node to another sends again what it had no answer for, while the
 * node that it left may still store it: both write the same numbers, each goes on after the other.
 */
async function append(
  { models }: TurnContext,
  turn: LiveTurn,
  events: readonly TurnEvent[],
): Promise<boolean> {
  const { turnId, epoch } = turn;
  const own = { _id: turnId, owner: turn.owner };
  let rest = events;
  while (!(await appendEvents(models, own, rest))) {
    const stored = await lastStoredSeq(models, turnId);
    const goesOn = await models.turns.exists({ _id: turnId, epoch, unsettled: true });
    if (goesOn === null || stored <= turn.storedSeq) return false;
    turn.storedSeq = stored;
    rest = rest
      .filter((event) => event.seq > stored)
      .map((event) => (coverStart(event) > stored ? event : { ...event, fromSeq: stored + 1 }));
  }
  return true;
}

/** What a turn's events say about the turn itself. */
async function noteOnTurn(
  context: TurnContext,
  turn: LiveTurn,
  events: readonly TurnEvent[],
): Promise<void> {
  const set: Partial<StoredTurn> = {};
  let waits: StoredTurn["waitingFor"] | "nothing";
  const files = new Map<string, StoredTurn["filesChanged"][number]>();
  for (const event of events) {
    if (event.type === "usage") set.usage = event.usage;
    if (event.type === "file:changed") files.set(event.file.path, event.file);
    if (event.type === "question:open") waits = "question";
    if (event.type === "approval:open") waits = "approval";
    if (event.type === "question:closed" || event.type === "approval:closed") waits = "nothing";
    if (event.type === "turn:changed") {
      waits = event.waitingFor ?? "nothing";
      if (event.stopped !== undefined) set.stopped = event.stopped;
    }
  }
  if (files.size > 0) {
    const before = await context.models.turns.findById(turn.turnId, { filesChanged: 1 }).lean();
    const kept = before?.filesChanged.filter(({ path }) => !files.has(path)) ?? [];
    set.filesChanged = [...kept, ...files.values()];
  }
  if (turn.ending !== undefined) {
    Object.assign(turn.ending.note, set);
    return;
  }
  if (waits === "nothing" && turn.waitingFor === undefined) waits = undefined;
  if (waits !== undefined && waits !== "nothing") set.waitingFor = waits;
  if (Object.keys(set).length === 0 && waits === undefined) return;
  const stored = await context.models.turns
    .findOneAndUpdate(
      { _id: turn.turnId, epoch: turn.epoch, unsettled: true },
      { $set: set, ...(waits === "nothing" && { $unset: { waitingFor: 1 } }) },
      { returnDocument: "after" },
    )
    .lean<StoredTurn>();
  if (stored === null) return;
  turn.waitingFor = stored.waitingFor;
  context.publish.turnChanged(stored);
  if (waits !== undefined) await rememberWait(context, stored);
}
