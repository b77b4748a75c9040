import {
  isSettled,
  type MessageId,
  type MessageMode,
  RefusalError,
  type TurnId,
} from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import { messageToWire, type StoredMessage } from "../models/queued-message.ts";
import type { StoredUser } from "../models/user.ts";
import type { TurnContext } from "./turn-context.ts";

const mostWaiting = 10;

export interface NewMessage {
  messageId: MessageId;
  text: string;
  mode: MessageMode;
}

/** A message to a running turn: stored, so that nothing typed is lost, and given to its drone. */
export async function sendMessage(
  context: TurnContext,
  user: StoredUser,
  turnId: TurnId,
  { messageId, text, mode }: NewMessage,
): Promise<StoredMessage> {
  const { models, line } = context;
  const turn = await models.turns.findOne({ _id: turnId, owner: user._id }).lean<StoredTurn>();
  if (turn === null) throw new RefusalError("not_found", "There is no such turn.");
  if (isSettled(turn.status)) {
    throw new RefusalError("not_running", "The turn has settled: send it as a prompt.");
  }
  const waiting = await models.messages.countDocuments({ sessionId: turn.sessionId });
  if (waiting >= mostWaiting) throw new RefusalError("queue_full");
  const message: StoredMessage = {
    _id: messageId,
    owner: user._id,
    sessionId: turn.sessionId,
    turnId,
    mode,
    text,
    createdAt: context.now(),
  };
  await models.messages.create([message]);
  const droneId = turn.lease?.droneId;
  if (mode === "steer" && droneId !== undefined) {
    const by = { id: user._id, name: user.name };
    const order = { turnId, messageId, text, mode, by };
    // It waits, visibly, until the drone says that the model was given it.
    await line.order(droneId, "deliverMessage", [order], 10_000);
  }
  await publishQueue(context, turn);
  return message;
}

/** The model was given these: they wait no more. */
export async function dropDelivered(
  context: TurnContext,
  turn: Pick<StoredTurn, "sessionId" | "owner">,
  delivered: MessageId[],
): Promise<void> {
  await context.models.messages.deleteMany({ _id: { $in: delivered }, owner: turn.owner });
  await publishQueue(context, turn);
}

export async function publishQueue(
  { models, publish }: TurnContext,
  { sessionId, owner }: Pick<StoredTurn, "sessionId" | "owner">,
): Promise<void> {
  const queue = await models.messages
    .find({ sessionId, owner })
    .sort({ createdAt: 1, _id: 1 })
    .lean<StoredMessage[]>();
  publish.queueChanged(sessionId, queue.map(messageToWire));
}
