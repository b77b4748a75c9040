import { turnToWire } from "../models/chat-turn.ts";
import { messageToWire, type StoredMessage } from "../models/queued-message.ts";
import { ownedBy } from "../people/owned.ts";
import { publishQueue } from "../turns/message.ts";
import { noLongerWaiting, sendQueued } from "../turns/send-queued.ts";
import type { HttpContext } from "./http-context.ts";
import { listPage } from "./list-page.ts";
import type { Handlers } from "./router.ts";

/** The messages of a session that wait, the oldest first. */
export function queueHandlers(context: HttpContext) {
  const { models, limits } = context;
  return {
    listQueue: async ({ user, params: { id }, query }) => {
      const { _id: sessionId, owner } = await ownedBy(models, user._id).session(id);
      const filter = { sessionId, owner };
      return listPage(models.messages, filter, query, messageToWire, { oldestFirst: true });
    },
    updateQueued: async ({ user, params: { id, messageId }, body: { text } }) => {
      const message = await models.messages
        .findOneAndUpdate(
          { _id: messageId, sessionId: id, owner: user._id },
          { $set: { text } },
          { returnDocument: "after" },
        )
        .lean<StoredMessage>();
      if (message === null) throw noLongerWaiting();
      await publishQueue(context, message);
      return { message: messageToWire(message) };
    },
    sendQueued: async ({ user, params: { id: sessionId, messageId } }) => {
      await limits.prompt(user._id);
      const turn = await sendQueued(context, { owner: user._id, sessionId, messageId });
      return { turn: turnToWire(turn) };
    },
    deleteQueued: async ({ user, params: { id, messageId } }) => {
      const message = await models.messages
        .findOneAndDelete({ _id: messageId, sessionId: id, owner: user._id })
        .lean<StoredMessage>();
      if (message === null) throw noLongerWaiting();
      await publishQueue(context, message);
      return { ok: true };
    },
  } satisfies Handlers;
}
