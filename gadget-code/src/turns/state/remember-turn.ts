import { costOf } from "@gadget/api";
import type { StoredSession } from "../../models/chat-session.ts";
import type { StoredTurn } from "../../models/chat-turn.ts";
import { shownTurn } from "./shown-turn.ts";
import type { TurnContext } from "./turn-context.ts";

/** Keeps the session's latest turn on the session, for lists, and tells who looks. */
export async function rememberTurn(context: TurnContext, turn: StoredTurn): Promise<void> {
  const { models, publish } = context;
  publish.turnChanged(shownTurn(context.live, turn));
  const lastTurn = { id: turn._id, status: turn.status, waitingFor: turn.waitingFor };
  const session = await models.sessions
    .findOneAndUpdate(
      { _id: turn.sessionId },
      { $set: { lastTurn, updatedAt: context.now() } },
      { returnDocument: "after" },
    )
    .lean<StoredSession>();
  if (session !== null) {
    publish.sessionChanged(session);
  }
}

/** Adds what a settled turn cost to its session, once. */
export async function addCost({ models }: TurnContext, turn: StoredTurn): Promise<void> {
  if (turn.price === undefined) {
    return;
  }
  const { amount, estimated } = costOf(turn.usage, turn.price);
  await models.sessions.updateOne(
    { _id: turn.sessionId, "cost.throughTurnId": { $ne: turn._id } },
    {
      $inc: { "cost.amount": amount },
      $set: { "cost.throughTurnId": turn._id, ...(estimated && { "cost.estimated": true }) },
    },
  );
}

/**
 * What the latest turn waits for, on its session. A turn that has moved on meanwhile has told its
 * session so itself: that is never overwritten.
 */
export async function rememberWait(context: TurnContext, turn: StoredTurn): Promise<void> {
  const { _id: id, status, waitingFor } = turn;
  const key = "lastTurn.waitingFor";
  const session = await context.models.sessions
    .findOneAndUpdate(
      { _id: turn.sessionId, "lastTurn.id": id, "lastTurn.status": status },
      waitingFor === undefined ? { $unset: { [key]: 1 } } : { $set: { [key]: waitingFor } },
      { returnDocument: "after" },
    )
    .lean<StoredSession>();
  if (session !== null) {
    context.publish.sessionChanged(session);
  }
}
