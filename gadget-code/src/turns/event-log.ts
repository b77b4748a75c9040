import {
  isTerminal,
  type Pieces,
  replacedBy,
  type TurnEvent,
  type TurnEventBody,
  type TurnId,
} from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { Models } from "../models/models.ts";
import type { StoredBatch } from "../models/turn-events.ts";

/**
 * The one place that reads and writes turn events. The log has no hole, so the covers are made
 * when it is read: an event covers all numbers since the one before it.
 */
export async function readEvents(
  models: Models,
  turnId: TurnId,
  after: number,
): Promise<TurnEvent[]> {
  const batches = await models.batches
    .find({ turnId, to: { $gt: after } })
    .sort({ from: 1 })
    .lean();
  let covered = after;
  const events: TurnEvent[] = [];
  for (const event of batches.flatMap((batch) => batch.events)) {
    if (event.seq <= after) continue;
    events.push(event.seq === covered + 1 ? event : { ...event, fromSeq: covered + 1 });
    covered = event.seq;
  }
  return events;
}

export async function lastStoredSeq(models: Models, turnId: TurnId): Promise<number> {
  const last = await models.batches.findOne({ turnId }, { to: 1 }).sort({ from: -1 }).lean();
  return last?.to ?? 0;
}

export async function lastBatch(models: Models, turnId: TurnId): Promise<StoredBatch | null> {
  return models.batches.findOne({ turnId }).sort({ from: -1 }).lean<StoredBatch>();
}

/**
 * The number after which the holder of a lease goes on; undefined: the lease is over. The log is
 * read first: a turn loses its lease before its end is logged, so that the number of an end can't
 * be taken for one to go on from.
 */
export async function lastSeqOfLease(
  models: Models,
  { _id, epoch }: Pick<StoredTurn, "_id" | "epoch">,
): Promise<number | undefined> {
  const storedSeq = await lastStoredSeq(models, _id);
  const goesOn = await models.turns.exists({ _id, epoch, unsettled: true });
  return goesOn === null ? undefined : storedSeq;
}

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === 11_000;
}

/**
 * Appends events that follow right after what is stored. False: another writer continued the
 * log at this number first, so the caller is not the one who may write any more.
 */
export async function appendEvents(
  models: Models,
  turn: Pick<StoredTurn, "_id" | "owner">,
  events: readonly TurnEvent[],
): Promise<boolean> {
  const first = events[0];
  const last = events.at(-1);
  if (first === undefined || last === undefined) return true;
  const from = first.fromSeq ?? first.seq;
  const batch = {
    _id: `${turn._id}:${from}`,
    turnId: turn._id,
    owner: turn.owner,
    from,
    to: last.seq,
    events: events.map(({ fromSeq: _, ...event }) => event),
  };
  try {
    await models.batches.create([batch]);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/**
 * Ends the log with the server's own event. The log ends once: undefined tells that it was ended
 * before, by another node or before a restart.
 */
export async function appendTerminal(
  models: Models,
  turn: Pick<StoredTurn, "_id" | "owner" | "epoch">,
  body: TurnEventBody,
  at: Date,
  known?: StoredBatch | null,
): Promise<TurnEvent | undefined> {
  for (let first = true; ; first = false) {
    const last = first && known !== undefined ? known : await lastBatch(models, turn._id);
    const end = last?.events.at(-1);
    if (end !== undefined && isTerminal(end)) return undefined;
    const event: TurnEvent = {
      turnId: turn._id,
      seq: (last?.to ?? 0) + 1,
      epoch: turn.epoch,
      at: at.toISOString(),
      ...body,
    };
    if (await appendEvents(models, turn, [event])) return event;
  }
}

/** Removes the deltas of parts that have ended; the log's numbers stay covered. */
export async function compactLog(
  models: Models,
  turnId: TurnId,
  events: readonly TurnEvent[],
): Promise<void> {
  const replaced = events.flatMap(replacedBy);
  if (replaced.length === 0) return;
  const filterOf = ({ type, id }: Pieces) => {
    if (type === "notice") return { type, partId: id, phase: "delta" };
    return type.startsWith("tool:") ? { type, callId: id } : { type, partId: id };
  };
  for (const pieces of replaced) {
    const match = filterOf(pieces);
    await models.batches.updateMany(
      { turnId, events: { $elemMatch: match } },
      { $pull: { events: match } },
    );
  }
  await models.batches.deleteMany({ turnId, events: { $size: 0 } });
}
