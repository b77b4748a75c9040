import { type MessageId, RefusalError, type SessionId, TurnId, type UserId } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";
import type { StoredMessage } from "../../models/queued-message.ts";
import { publishQueue } from "../message.ts";
import type { TurnContext } from "../state/turn-context.ts";
import { submit } from "../submit.ts";

interface Waiting {
  owner: UserId;
  sessionId: SessionId;
  messageId: MessageId;
}

/**
 * Makes a message that waits the next turn. The turn takes the message's id: however often this
 * is repeated, and wherever a crash cuts it, it becomes one turn.
 */
export async function sendQueued(
  context: TurnContext,
  { owner, sessionId, messageId }: Waiting,
): Promise<StoredTurn> {
  const { models } = context;
  const message = await models.messages
    .findOne({ _id: messageId, sessionId, owner })
    .lean<StoredMessage>();
  const turnId = TurnId.parse(messageId);
  const sent = await models.turns.findOne({ _id: turnId, sessionId, owner }).lean<StoredTurn>();
  if (message === null && sent === null) {
    throw noLongerWaiting();
  }
  // One that was sent stays as it was sent, though its message was edited after a crash.
  const turn = sent ?? (await submit(context, owner, sessionId, promptOf(message, turnId)));
  await models.messages.deleteOne({ _id: messageId, owner });
  await publishQueue(context, turn);
  return turn;
}

export function noLongerWaiting(): RefusalError {
  return new RefusalError("not_found", "This message waits no more: it was taken or deleted.");
}

function promptOf(message: StoredMessage | null, turnId: TurnId) {
  return { prompt: message?.text ?? "", turnId };
}
