import { RefusalError } from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredMessage } from "../models/queued-message.ts";
import { sendQueued } from "./send-queued.ts";
import type { TurnContext } from "./turn-context.ts";

/**
 * A8: after `finished` the oldest message that waits becomes the next turn; after any other end
 * all of them stay and wait for the user.
 */
export async function startQueued(context: TurnContext, ended: StoredTurn): Promise<void> {
  if (ended.status !== "finished") return;
  const { sessionId, owner } = ended;
  const message = await context.models.messages
    .findOne({ sessionId, owner })
    .sort({ createdAt: 1, _id: 1 })
    .lean<StoredMessage>();
  if (message === null) return;
  try {
    await sendQueued(context, { owner, sessionId, messageId: message._id });
  } catch (error) {
    // Somebody was faster with a prompt of their own: the message goes on waiting.
    if (!(error instanceof RefusalError)) throw error;
  }
}
