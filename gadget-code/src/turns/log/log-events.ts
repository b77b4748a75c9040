import {
  isTerminal,
  type Pieces,
  replacedBy,
  type Size,
  type TurnEvent,
  type TurnEventBody,
  type TurnId,
} from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";
import { isDuplicateKey } from "../../models/is-duplicate-key.ts";
import type { Models } from "../../models/models.ts";
import type { StoredBatch } from "../../models/turn-events.ts";

/** So much of a log is in memory at once, or one batch where that alone is more. */
const pageEvents = 500;
const pageCharacters = 1_000_000;

/** A turn's batches that reach beyond a number, one after the other as they are asked for. */
export function batchesOf(
  models: Models,
  turnId: TurnId,
  after: number,
): AsyncIterable<StoredBatch> {
  return models.batches
    .find({ turnId, to: { $gt: after } })
    .sort({ from: 1 })
    .lean<StoredBatch[]>()
    .cursor();
}

/**
 * The one place that reads and writes turn events, page by page: no log is ever in memory as a
 * whole. The log has no hole, so the covers are made when it is read: an event covers all numbers
 * since the one before it.
 */
export async function* eventPages(
  models: Models,
  turnId: TurnId,
  after: number,
): AsyncGenerator<TurnEvent[], void> {
  let covered = after;
  let page: TurnEvent[] = [];
  let characters = 0;
  for await (const { events } of batchesOf(models, turnId, after)) {
    for (const event of events) {
      if (event.seq <= after) {
        continue;
      }
      page.push(event.seq === covered + 1 ? event : { ...event, fromSeq: covered + 1 });
      covered = event.seq;
      characters += JSON.stringify(event).length;
      if (page.length < pageEvents && characters < pageCharacters) {
        continue;
      }
      yield page;
      page = [];
      characters = 0;
    }
  }
  if (page.length > 0) {
    yield page;
  }
}

/** The first events after a number, as many as fit; `more` says whether there are others. */
export async function firstEvents(
  models: Models,
  turnId: TurnId,
  after: number,
  most: { events: number; characters: number },
): Promise<{ events: TurnEvent[]; more: boolean }> {
  const events: TurnEvent[] = [];
  let characters = 0;
  for await (const page of eventPages(models, turnId, after)) {
    for (const event of page) {
      characters += JSON.stringify(event).length;
      const isFull = events.length >= most.events || characters > most.characters;
      if (isFull && events.length > 0) {
        return { events, more: true };
      }
      events.push(event);
    }
  }
  return { events, more: false };
}

export async function lastStoredSeq(models: Models, turnId: TurnId): Promise<number> {
  const last = await models.batches.findOne({ turnId }, { to: 1 }).sort({ from: -1 }).lean();
  return last?.to ?? 0;
}

/** How much a turn's log keeps already. */
export async function storedSize(models: Models, turnId: TurnId): Promise<Size | undefined> {
  const last = await models.batches.findOne({ turnId }, { size: 1 }).sort({ from: -1 }).lean();
  return last?.size;
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

/**
 * Appends events that follow right after what is stored. False: another writer continued the
 * log at this number first, so the caller is not the one who may write any more.
 */
export async function appendEvents(
  models: Models,
  turn: Pick<StoredTurn, "_id" | "owner">,
  events: readonly TurnEvent[],
  size?: Size,
): Promise<boolean> {
  const first = events[0];
  const last = events.at(-1);
  if (first === undefined || last === undefined) {
    return true;
  }
  const from = first.fromSeq ?? first.seq;
  const batch = {
    _id: `${turn._id}:${from}`,
    turnId: turn._id,
    owner: turn.owner,
    from,
    to: last.seq,
    events: events.map(({ fromSeq: _, ...event }) => event),
    ...(size !== undefined && { size }),
  };
  try {
    await models.batches.create([batch]);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) {
      return false;
    }
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
    if (end !== undefined && isTerminal(end)) {
      return undefined;
    }
    const event: TurnEvent = {
      turnId: turn._id,
      seq: (last?.to ?? 0) + 1,
      epoch: turn.epoch,
      at: at.toISOString(),
      ...body,
    };
    if (await appendEvents(models, turn, [event])) {
      return event;
    }
  }
}

/**
 * What a turn's events say of other things than its transcript; written a second time it changes
 * nothing.
 */
const telling: TurnEvent["type"][] = [
  "turn:changed",
  "usage",
  "file:changed",
  "question:open",
  "question:closed",
  "approval:open",
  "approval:closed",
  "message:steered",
  "history:compacted",
];

/** The stored events that have effects beside the log. */
export async function tellingEvents(models: Models, turnId: TurnId): Promise<TurnEvent[]> {
  const batches = models.batches
    .find({ turnId, events: { $elemMatch: { type: { $in: telling } } } })
    .sort({ from: 1 })
    .lean<StoredBatch[]>()
    .cursor();
  const types = new Set<string>(telling);
  const told: TurnEvent[] = [];
  for await (const { events } of batches) {
    told.push(...events.filter(({ type }) => types.has(type)));
  }
  return told;
}

/**
 * Removes the deltas of parts that have ended; the log's numbers stay covered. A batch that is
 * empty then keeps its number where another node may still write after the one before it.
 */
export async function compactLog(
  models: Models,
  turnId: TurnId,
  events: readonly TurnEvent[],
  keepsNumbers: boolean,
): Promise<void> {
  const replaced = events.flatMap(replacedBy);
  if (replaced.length === 0) {
    return;
  }
  const filterOf = ({ type, id }: Pieces) => {
    if (type === "notice") {
      return { type, partId: id, phase: "delta" };
    }
    return type.startsWith("tool:") ? { type, callId: id } : { type, partId: id };
  };
  for (const pieces of replaced) {
    const match = filterOf(pieces);
    await models.batches.updateMany(
      { turnId, events: { $elemMatch: match } },
      { $pull: { events: match } },
    );
  }
  if (!keepsNumbers) {
    await models.batches.deleteMany({ turnId, events: { $size: 0 } });
  }
}
