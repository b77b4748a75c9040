import { RefusalError, type SessionId, type UserId } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";
import { publishQueue } from "../message.ts";
import type { TurnContext } from "../state/turn-context.ts";
import { sendQueued } from "./send-queued.ts";
import { waitingIn } from "./waiting-in.ts";

/**
 * A8: after `finished` the first message that is not paused becomes the next turn; after any
 * other end all of them stay and wait for the user.
 */
export async function startQueued(context: TurnContext, ended: StoredTurn): Promise<void> {
  if (ended.status === "finished") {
    await startNext(context, ended);
  }
}

/** What was paused goes on: at once where nothing runs, else after the turn that does. */
export async function resumeQueue(
  context: TurnContext,
  whose: { sessionId: SessionId; owner: UserId },
): Promise<void> {
  await context.models.messages.updateMany(whose, { $set: { resumedAt: context.now() } });
  await startNext(context, whose);
  await publishQueue(context, whose);
}

async function startNext(
  context: TurnContext,
  { sessionId, owner }: Pick<StoredTurn, "sessionId" | "owner">,
): Promise<void> {
  const waiting = await waitingIn(context, { sessionId, owner });
  const first = waiting.find(({ paused }) => paused === undefined);
  if (first === undefined) {
    return;
  }
  try {
    await sendQueued(context, { owner, sessionId, messageId: first.message._id });
  } catch (error) {
    // Somebody was faster with a prompt of their own: the message goes on waiting.
    if (!(error instanceof RefusalError)) {
      throw error;
    }
  }
}
