import type { TurnEvent } from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import { isUnstorable } from "../models/is-database-trouble.ts";
import { allowInSession } from "../sessions/allow-in-session.ts";
import { tellingEvents } from "./log/log-events.ts";
import { dropDelivered } from "./message.ts";
import type { HeldTurn } from "./state/held-turn.ts";
import { rememberWait } from "./state/remember-turn.ts";
import type { TurnContext } from "./state/turn-context.ts";
import { factsAfter } from "./state/turn-facts.ts";

type Noted = Pick<HeldTurn, "turnId" | "sessionId" | "owner">;

/** Writes all that a log says beside it: for a turn that has ended, and that nobody held until then. */
export async function noteLog(context: TurnContext, turn: StoredTurn): Promise<StoredTurn> {
  const { models } = context;
  const { _id, sessionId, owner } = turn;
  const events = await tellingEvents(models, _id);
  const noted = { turnId: _id, sessionId, owner };
  await noteElsewhere(context, noted, events);
  const set = factsAfter({}, events);
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

/**
 * Writes what stored events say on the turn's session and in its queue. Each write may be repeated,
 * so that events are noted again after a failure, by a later process and on another node; one that
 * can never be stored is left out.
 */
export async function noteElsewhere(
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

/** What the turn waits for after these events; undefined: they say nothing of it. */
export function waitAfter(
  events: readonly TurnEvent[],
): { waitingFor: StoredTurn["waitingFor"] } | undefined {
  let wait: ReturnType<typeof waitAfter>;
  for (const event of events) {
    if (event.type === "question:open") {
      wait = { waitingFor: "question" };
    }
    if (event.type === "approval:open") {
      wait = { waitingFor: "approval" };
    }
    if (event.type === "question:closed" || event.type === "approval:closed") {
      wait = { waitingFor: undefined };
    }
    if (event.type === "turn:changed") {
      wait = { waitingFor: event.waitingFor };
    }
  }
  return wait;
}

/** Writes what a turn waits for on it and on its session; undefined: its lease is over. */
export async function noteWait(
  context: TurnContext,
  { turnId, epoch }: Pick<HeldTurn, "turnId" | "epoch">,
  waitingFor: StoredTurn["waitingFor"],
): Promise<StoredTurn | undefined> {
  const change =
    waitingFor === undefined ? { $unset: { waitingFor: 1 } } : { $set: { waitingFor } };
  const stored = await context.models.turns
    .findOneAndUpdate({ _id: turnId, epoch, unsettled: true }, change, {
      returnDocument: "after",
    })
    .lean<StoredTurn>();
  if (stored === null) {
    return undefined;
  }
  await rememberWait(context, stored);
  return stored;
}
