import type { MessageId, QueuedMessage, SessionId, UserId } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";
import { messageToWire, type StoredMessage } from "../../models/queued-message.ts";
import type { TurnContext } from "../state/turn-context.ts";

interface Whose {
  sessionId: SessionId;
  owner: UserId;
}

type Paused = NonNullable<QueuedMessage["paused"]>;
const cutOff = ["aborted", "error", "interrupted"] as const satisfies readonly Paused[];

/** What waits in a session, in the order in which it would be sent. */
export async function waitingIn(
  { models }: Pick<TurnContext, "models">,
  { sessionId, owner }: Whose,
): Promise<{ message: StoredMessage; paused: Paused | undefined }[]> {
  const messages = await models.messages.find({ sessionId, owner }).lean<StoredMessage[]>();
  if (messages.length === 0) {
    return [];
  }
  const ended = await models.turns
    .findOne({ sessionId, status: { $in: cutOff } })
    .sort({ createdAt: -1, _id: -1 })
    .lean<StoredTurn>();
  return messages
    .toSorted((a, b) => placeOf(a) - placeOf(b) || (a._id < b._id ? -1 : 1))
    .map((message) => ({ message, paused: pausedBy(message, ended) }));
}

export async function queueOf(
  context: Pick<TurnContext, "models">,
  whose: Whose,
): Promise<QueuedMessage[]> {
  return (await waitingIn(context, whose)).map(({ message, paused }) =>
    messageToWire(message, paused),
  );
}

/**
 * A8: what waited when a turn was cut off waits for a person, however many turns finish after it.
 * That is read from the turn, not marked: whichever way it ended, and wherever a crash cut it.
 */
function pausedBy(message: StoredMessage, ended: StoredTurn | null): Paused | undefined {
  const at = ended?.settledAt;
  if (ended === null || at === undefined) {
    return undefined;
  }
  const waited = message.turnId === ended._id || message.createdAt <= at;
  const isResumed = message.resumedAt !== undefined && message.resumedAt >= at;
  return waited && !isResumed ? cutOff.find((status) => status === ended.status) : undefined;
}

function placeOf({ order, createdAt }: StoredMessage): number {
  return order ?? createdAt.getTime();
}

/** Puts a message before another one, or at the end. */
export async function reorder(
  context: Pick<TurnContext, "models">,
  whose: Whose,
  messageId: MessageId,
  before: MessageId | null,
): Promise<void> {
  const waiting = (await waitingIn(context, whose)).map(({ message }) => message);
  const moved = waiting.find(({ _id }) => _id === messageId);
  if (moved === undefined || before === messageId) {
    return;
  }
  const others = waiting.filter((message) => message !== moved);
  const at = others.findIndex(({ _id }) => _id === before);
  const order = others.toSpliced(at === -1 ? others.length : at, 0, moved);
  let last = Number.NEGATIVE_INFINITY;
  // The places stay what they were: what is sent later goes on coming after all of them.
  const places = waiting.map((message) => (last = Math.max(placeOf(message), last + 1)));
  await Promise.all(
    order.map(({ _id }, index) =>
      context.models.messages.updateOne(
        { _id, owner: whose.owner },
        { $set: { order: places[index] } },
      ),
    ),
  );
}
