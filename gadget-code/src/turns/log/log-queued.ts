import type { StoredTurn } from "../../models/chat-turn.ts";
import type { TurnContext } from "../state/turn-context.ts";
import { appendEvents } from "./log-events.ts";

/** Number 1 of a turn's log. Repeated by dispatch, in case the server died in between. */
export async function logQueued(context: TurnContext, turn: StoredTurn): Promise<void> {
  const at = turn.createdAt.toISOString();
  const first = { turnId: turn._id, seq: 1, epoch: 0, at } as const;
  const event = { ...first, type: "turn:changed" as const, status: "queued" as const };
  if (await appendEvents(context.models, turn, [event])) {
    context.publish.turnEvents({ turnId: turn._id, sessionId: turn.sessionId }, [event]);
  }
}
