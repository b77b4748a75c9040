import { RefusalError, type SessionId } from "@gadget/api";
import type { StoredSession } from "../models/chat-session.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";
import { endCommands } from "./end-commands.ts";

const batch = 500;

/** Deletes a session with its turns, logs and background commands; refused while a turn of it is unsettled. */
export async function forget(context: TurnContext, session: StoredSession): Promise<void> {
  const { models } = context;
  const { _id: sessionId, owner } = session;
  await refuseUnsettled(context, sessionId);
  await models.sessions.deleteOne({ _id: sessionId, owner });
  try {
    // A prompt may have come in between; the next one finds no session any more.
    await refuseUnsettled(context, sessionId);
  } catch (error) {
    await models.sessions.create([session]);
    throw error;
  }
  await endCommands(context, session);
  await models.messages.deleteMany({ sessionId });
  for (;;) {
    const turns = await models.turns.find({ sessionId }, { _id: 1 }).limit(batch).lean();
    const ids = turns.map(({ _id }) => _id);
    if (ids.length === 0) {
      return;
    }
    await models.batches.deleteMany({ turnId: { $in: ids } });
    await models.turns.deleteMany({ _id: { $in: ids } });
  }
}

async function refuseUnsettled({ models }: TurnContext, sessionId: SessionId): Promise<void> {
  const running = await models.turns.exists({ sessionId, unsettled: true });
  if (running === null) {
    return;
  }
  throw new RefusalError(
    "in_use",
    "A turn of this session has not settled. Cancel it or wait for its end.",
    { turnId: running._id },
  );
}
