import { RefusalError, TurnId } from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredMessage } from "../models/queued-message.ts";
import { publishQueue } from "./message.ts";
import { submit } from "./submit.ts";
import type { TurnContext } from "./turn-context.ts";

/**
 * A8: after `finished` the oldest message that waits becomes the next turn; after any other end
 * all of them stay and wait for the user. The turn takes the message's id, so that a crash in
 * between starts it once.
 */
export async function startQueued(context: TurnContext, ended: StoredTurn): Promise<void> {
  if (ended.status !== "finished") return;
  const { models } = context;
  const { sessionId, owner } = ended;
  const message = await models.messages
    .findOne({ sessionId, owner })
    .sort({ createdAt: 1, _id: 1 })
    .lean<StoredMessage>();
  if (message === null) return;
  try {
    const turnId = TurnId.parse(message._id);
    await submit(context, owner, sessionId, { prompt: message.text, turnId });
  } catch (error) {
    // Somebody was faster with a prompt of their own: the message goes on waiting.
    if (error instanceof RefusalError) return;
    throw error;
  }
  await models.messages.deleteOne({ _id: message._id });
  await publishQueue(context, ended);
}
