import type { TurnEvent } from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import { isUnstorable } from "../models/is-database-trouble.ts";
import { allowInSession } from "../sessions/allow-in-session.ts";
import { tellingEvents } from "./log/log-events.ts";
import { dropDelivered } from "./message.ts";
import type { LiveTurn } from "./state/live-turn.ts";
import { rememberWait } from "./state/remember-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";

type Noted = Pick<LiveTurn, "turnId" | "sessionId" | "owner">;
type Waits = StoredTurn["waitingFor"] | "nothing";

/**
 * Writes what stored events say beside the log: on the turn, on its session, in its queue. Each
 * write may be repeated, so that events are noted again after a failure, by a later process and
 * on another node; one that can never be stored is left out.
 */
export async function noteEvents(
  context: TurnContext,
  turn: LiveTurn,
  events: readonly TurnEvent[],
): Promise<void> {
  await noteElsewhere(context, turn, events);
  await attempt(context, turn, () => noteOnTurn(context, turn, events));
}

/** The same for a turn that has ended, whose last events nobody may have noted. */
export async function noteLog(context: TurnContext, turn: StoredTurn): Promise<StoredTurn> {
  const { models } = context;
  const { _id, sessionId, owner } = turn;
  const events = await tellingEvents(models, _id);
  const noted = { turnId: _id, sessionId, owner };
  await noteElsewhere(context, noted, events);
  const set = factsOf(events, turn.filesChanged);
  if (Object.keys(set).length === 0) {
    return turn;
  }
  await attempt(
    context,
    noted,
    async () => void (await models.turns.updateOne({ _id }, { $set: set })),
  );
  return { ...turn, ...set };
}

async function noteElsewhere(
  context: TurnContext,
  turn: Noted,
  events: readonly TurnEvent[],
): Promise<void> {
  const steered = events.flatMap((event) =>
    event.type === "message:steered" ? [event.messageId] : [],
  );
  if (steered.length > 0) {
    await dropDelivered(context, turn, steered);
  }
  for (const event of events) {
    if (event.type === "history:compacted") {
      const { summary, throughTurnId, throughStep } = event;
      const compacted = { summary, throughTurnId, ...(throughStep && { throughStep }) };
      const change = { $set: { compacted } };
      await attempt(
        context,
        turn,
        async () => void (await context.models.sessions.updateOne({ _id: turn.sessionId }, change)),
      );
    }
    if (event.type === "approval:closed" && event.decision === "session") {
      await allowInSession(context, turn, event.approvalId);
    }
  }
}

async function attempt(
  { log }: TurnContext,
  { turnId }: Noted,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUnstorable(error)) {
      throw error;
    }
    log.error(
      { err: error, turnId },
      "what a turn's events say could not be stored: it is left out",
    );
  }
}

function factsOf(
  events: readonly TurnEvent[],
  before: StoredTurn["filesChanged"],
): Partial<StoredTurn> {
  const set: Partial<StoredTurn> = {};
  const files = new Map<string, StoredTurn["filesChanged"][number]>();
  for (const event of events) {
    if (event.type === "usage") {
      set.usage = event.usage;
    }
    if (event.type === "file:changed") {
      files.set(event.file.path, event.file);
    }
    if (event.type === "turn:changed" && event.stopped !== undefined) {
      set.stopped = event.stopped;
    }
  }
  if (files.size > 0) {
    set.filesChanged = [...before.filter(({ path }) => !files.has(path)), ...files.values()];
  }
  return set;
}

/** What the turn waits for after these events; undefined: they say nothing of it. */
function waitAfter(events: readonly TurnEvent[]): Waits | undefined {
  let waits: Waits | undefined;
  for (const event of events) {
    if (event.type === "question:open") {
      waits = "question";
    }
    if (event.type === "approval:open") {
      waits = "approval";
    }
    if (event.type === "question:closed" || event.type === "approval:closed") {
      waits = "nothing";
    }
    if (event.type === "turn:changed") {
      waits = event.waitingFor ?? "nothing";
    }
  }
  return waits;
}

async function noteOnTurn(
  context: TurnContext,
  turn: LiveTurn,
  events: readonly TurnEvent[],
): Promise<void> {
  const { models, publish } = context;
  const changesFiles = events.some(({ type }) => type === "file:changed");
  const before = changesFiles
    ? await models.turns.findById(turn.turnId, { filesChanged: 1 }).lean()
    : null;
  // What its last events said before is in the note already.
  const known = turn.ending?.note.filesChanged ?? before?.filesChanged ?? [];
  const set = factsOf(events, known);
  if (turn.ending !== undefined) {
    Object.assign(turn.ending.note, set);
    return;
  }
  let waits = waitAfter(events);
  if (waits === "nothing" && turn.waitingFor === undefined) {
    waits = undefined;
  }
  if (waits !== undefined && waits !== "nothing") {
    set.waitingFor = waits;
  }
  if (Object.keys(set).length === 0 && waits === undefined) {
    return;
  }
  const stored = await models.turns
    .findOneAndUpdate(
      { _id: turn.turnId, epoch: turn.epoch, unsettled: true },
      { $set: set, ...(waits === "nothing" && { $unset: { waitingFor: 1 } }) },
      { returnDocument: "after" },
    )
    .lean<StoredTurn>();
  if (stored === null) {
    return;
  }
  turn.shown = stored;
  publish.turnChanged(stored);
  if (waits !== undefined) {
    await rememberWait(context, stored);
  }
  // Last: until then a later try writes the wait again.
  turn.waitingFor = stored.waitingFor;
}
