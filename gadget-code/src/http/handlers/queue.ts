import { turnToWire } from "../../models/chat-turn.ts";
import type { StoredMessage } from "../../models/queued-message.ts";
import { ownedBy } from "../../people/owned.ts";
import { publishQueue } from "../../turns/message.ts";
import { noLongerWaiting, sendQueued } from "../../turns/queue/send-queued.ts";
import { resumeQueue } from "../../turns/queue/start-queued.ts";
import { queueOf, reorder } from "../../turns/queue/waiting-in.ts";
import type { HttpContext } from "../http-context.ts";
import { slicePage } from "../list-page.ts";
import type { Handlers } from "../router.ts";

/** The messages of a session that wait, in the order in which they are sent. */
export function queueHandlers(context: HttpContext) {
  const { models, limits } = context;
  return {
    listQueue: async ({ user, params: { id }, query }) => {
      const { _id: sessionId, owner } = await ownedBy(models, user._id).session(id);
      return slicePage(await queueOf(context, { sessionId, owner }), query);
    },
    updateQueued: async ({ user, params: { id, messageId }, body: { text, before } }) => {
      const whose = { sessionId: id, owner: user._id };
      if (text !== undefined) {
        await models.messages.updateOne({ _id: messageId, ...whose }, { $set: { text } });
      }
      if (before !== undefined) {
        await reorder(context, whose, messageId, before);
      }
      const message = (await queueOf(context, whose)).find((other) => other.id === messageId);
      if (message === undefined) {
        throw noLongerWaiting();
      }
      await publishQueue(context, whose);
      return { message };
    },
    resumeQueue: async ({ user, params: { id } }) => {
      const { _id: sessionId, owner } = await ownedBy(models, user._id).session(id);
      await limits.prompt(user._id);
      await resumeQueue(context, { sessionId, owner });
      return slicePage(await queueOf(context, { sessionId, owner }), {});
    },
    clearQueue: async ({ user, params: { id } }) => {
      const { _id: sessionId, owner } = await ownedBy(models, user._id).session(id);
      await models.messages.deleteMany({ sessionId, owner });
      await publishQueue(context, { sessionId, owner });
      return { ok: true };
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
      if (message === null) {
        throw noLongerWaiting();
      }
      await publishQueue(context, message);
      return { ok: true };
    },
  } satisfies Handlers;
}
