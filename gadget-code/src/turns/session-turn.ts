import type { StoredSession } from "../models/chat-session.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { TurnContext } from "./turn-context.ts";

/** Keeps the session's latest turn on the session, for lists, and tells who looks. */
export async function rememberTurn(context: TurnContext, turn: StoredTurn): Promise<void> {
  const { models, publish } = context;
  publish.turnChanged(turn);
  const lastTurn = { id: turn._id, status: turn.status, waitingFor: turn.waitingFor };
  const session = await models.sessions
    .findOneAndUpdate(
      { _id: turn.sessionId },
      { $set: { lastTurn, updatedAt: context.now() } },
      { returnDocument: "after" },
    )
    .lean<StoredSession>();
  if (session !== null) publish.sessionChanged(session);
}
