import { headOf, newId, RefusalError, SessionId, type TurnEvent, TurnId } from "@gadget/api";
import type { StoredSession } from "../models/chat-session.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredBatch } from "../models/turn-events.ts";
import { batchesOf } from "../turns/log/log-events.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";

const mostTurns = 1_000;
const mostCharacters = 64_000_000;

const titleLength = 200;
const titlePrefix = "Copy of ";

/**
 * A new session with copies of the turns before this one, so that the model is told the same past.
 * Files are not touched. What the turns cost and changed stays theirs: a copy has nothing to undo.
 */
export async function fork(
  context: TurnContext,
  session: StoredSession,
  before: TurnId,
): Promise<StoredSession> {
  const { models } = context;
  const turns = await turnsBefore(context, session, before);
  const sessionId = newId(SessionId);
  const ids = new Map(turns.map(({ _id }) => [_id, newId(TurnId)]));
  const copies = turns.map((turn) => copyOfTurn(turn, sessionId, ids));
  try {
    const compacted = await copyLogs(context, turns, ids);
    if (copies.length > 0) {
      await models.turns.insertMany(copies);
    }
    const copy = copyOfSession(session, { sessionId, last: copies.at(-1), now: context.now() });
    const whole = compacted === undefined ? copy : { ...copy, compacted };
    // Last, so that nobody sees a copy before it is whole.
    await models.sessions.create([whole]);
    return whole;
  } catch (error) {
    await models.batches.deleteMany({ turnId: { $in: [...ids.values()] } });
    await models.turns.deleteMany({ sessionId });
    throw error;
  }
}

async function turnsBefore(
  { models }: TurnContext,
  { _id: sessionId, owner }: StoredSession,
  before: TurnId,
): Promise<StoredTurn[]> {
  const end = await models.turns.findOne({ _id: before, sessionId, owner }).lean<StoredTurn>();
  if (end === null) {
    throw new RefusalError("not_found", "There is no such turn in this session.");
  }
  const { createdAt, _id } = end;
  const older = [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: _id } }];
  const turns = await models.turns
    .find({ sessionId, owner, $or: older })
    .sort({ createdAt: 1, _id: 1 })
    .limit(mostTurns + 1)
    .lean<StoredTurn[]>();
  if (turns.length > mostTurns) {
    throw tooLong();
  }
  return turns;
}

function tooLong(): RefusalError {
  return new RefusalError(
    "too_large",
    "The session is too long to copy up to there. Copy it up to an earlier turn, or start a new session.",
  );
}

function copyOfTurn(
  turn: StoredTurn,
  sessionId: SessionId,
  ids: ReadonlyMap<TurnId, TurnId>,
): StoredTurn {
  const { lease: _lease, runAnyway: _anyway, continues: cut, price: _price, ...kept } = turn;
  const continues = cut === undefined ? undefined : ids.get(cut);
  return {
    ...kept,
    _id: copied(ids, turn._id),
    sessionId,
    ...(continues !== undefined && { continues }),
    usage: { inputTokens: 0, outputTokens: 0 },
    filesChanged: [],
  };
}

function copied(ids: ReadonlyMap<TurnId, TurnId>, id: TurnId): TurnId {
  const copy = ids.get(id);
  if (copy === undefined) {
    throw new Error(`turn ${id} has no copy`);
  }
  return copy;
}

/** Batch by batch, so that no log is in memory. Returns the last summary that the logs tell of. */
async function copyLogs(
  { models }: TurnContext,
  turns: readonly StoredTurn[],
  ids: ReadonlyMap<TurnId, TurnId>,
): Promise<StoredSession["compacted"]> {
  let compacted: StoredSession["compacted"];
  let characters = 0;
  for (const { _id } of turns) {
    const turnId = copied(ids, _id);
    for await (const batch of batchesOf(models, _id, 0)) {
      const events = batch.events.map((event) => copyOfEvent(event, turnId, ids));
      characters += JSON.stringify(events).length;
      if (characters > mostCharacters) {
        throw tooLong();
      }
      const copy: StoredBatch = { ...batch, _id: `${turnId}:${batch.from}`, turnId, events };
      await models.batches.create([copy]);
      for (const event of events) {
        if (event.type !== "history:compacted") {
          continue;
        }
        const { summary, throughTurnId, throughStep } = event;
        compacted = { summary, throughTurnId, ...(throughStep && { throughStep }) };
      }
    }
  }
  return compacted;
}

function copyOfEvent(
  event: TurnEvent,
  turnId: TurnId,
  ids: ReadonlyMap<TurnId, TurnId>,
): TurnEvent {
  if (event.type !== "history:compacted") {
    return { ...event, turnId };
  }
  const throughTurnId = ids.get(event.throughTurnId) ?? event.throughTurnId;
  return { ...event, turnId, throughTurnId };
}

function copyOfSession(
  session: StoredSession,
  { sessionId, last, now }: { sessionId: SessionId; last: StoredTurn | undefined; now: Date },
): StoredSession {
  const { owner, projectId, droneId, providerId, model, approval, title } = session;
  const name = title.startsWith(titlePrefix) ? title : `${titlePrefix}${title}`;
  return {
    _id: sessionId,
    owner,
    projectId,
    droneId,
    title: headOf(name, titleLength),
    titled: true,
    providerId,
    model,
    approval,
    // What a person allowed, they allowed in the session that asked.
    allowed: [],
    ...(last !== undefined && { lastTurn: { id: last._id, status: last.status } }),
    createdAt: now,
    updatedAt: now,
  };
}
