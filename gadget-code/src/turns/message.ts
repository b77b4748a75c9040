import {
  isSettled,
  type MessageId,
  type MessageMode,
  RefusalError,
  type TurnId,
} from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import { isDuplicateKey } from "../models/is-duplicate-key.ts";
import type { StoredMessage } from "../models/queued-message.ts";
import { personOf, type StoredUser } from "../models/user.ts";
import { ownedBy } from "../people/owned.ts";
import { queueOf } from "./queue/waiting-in.ts";
import type { TurnContext } from "./state/turn-context.ts";

const mostWaiting = 10;
const places = Array.from({ length: mostWaiting }, (_, place) => place);

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
  if (turn === null) {
    throw new RefusalError("not_found", "There is no such turn.");
  }
  if (isSettled(turn.status)) {
    throw new RefusalError("not_running", "The turn has settled: send it as a prompt.");
  }
  const droneId = turn.lease?.droneId;
  if (droneId !== undefined) {
    await ownedBy(models, user._id).reachable(droneId);
  }
  const { message, isNew } = await keep(models, {
    _id: messageId,
    owner: user._id,
    sessionId: turn.sessionId,
    turnId,
    mode,
    text,
    createdAt: context.now(),
  });
  if (!isNew) {
    return message;
  }
  if (mode === "steer" && droneId !== undefined) {
    const by = personOf(user);
    const order = { turnId, messageId, text, mode, by };
    // It waits, visibly, until the drone says that the model was given it.
    await line.order(droneId, "deliverMessage", [order], 10_000);
  }
  await publishQueue(context, turn);
  return message;
}

/** Takes a free place in the session's queue; the index decides between those who take the same. */
async function keep(
  { messages }: TurnContext["models"],
  message: Omit<StoredMessage, "place">,
): Promise<{ message: StoredMessage; isNew: boolean }> {
  const { _id, sessionId, owner } = message;
  for (;;) {
    const waiting = await messages.find({ sessionId }).lean<StoredMessage[]>();
    const known = waiting.find((other) => other._id === _id && other.owner === owner);
    if (known !== undefined) {
      return { message: known, isNew: false };
    }
    const taken = new Set(waiting.map(({ place }) => place));
    const place = places.find((free) => !taken.has(free));
    if (place === undefined || waiting.length >= mostWaiting) {
      throw new RefusalError("queue_full");
    }
    try {
      const kept = { ...message, place };
      await messages.create([kept]);
      return { message: kept, isNew: true };
    } catch (error) {
      if (!isDuplicateKey(error)) {
        throw error;
      }
      // The place was taken meanwhile, or the id is somebody else's.
      const holder = await messages.findOne({ _id }).lean<StoredMessage>();
      const isForeign = holder?.sessionId !== sessionId || holder.owner !== owner;
      if (holder !== null && isForeign) {
        throw new RefusalError("conflict");
      }
    }
  }
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
  context: TurnContext,
  { sessionId, owner }: Pick<StoredTurn, "sessionId" | "owner">,
): Promise<void> {
  context.publish.queueChanged(sessionId, await queueOf(context, { sessionId, owner }));
}
