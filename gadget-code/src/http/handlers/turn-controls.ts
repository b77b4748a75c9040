import { isSettled, MessageId, newId, RefusalError } from "@gadget/api";
import { turnToWire } from "../../models/chat-turn.ts";
import { messageToWire } from "../../models/queued-message.ts";
import { personOf } from "../../models/user.ts";
import { audit } from "../../people/audit.ts";
import { ownedBy } from "../../people/owned.ts";
import { answerApproval } from "../../turns/answer-approval.ts";
import { sendMessage } from "../../turns/message.ts";
import { tellTurn } from "../../turns/tell-turn.ts";
import type { HttpContext } from "../http-context.ts";
import type { Handlers } from "../router.ts";

/** What is said to a turn while it runs. */
export function turnControlHandlers(context: HttpContext) {
  const { models, limits, relayed } = context;
  return {
    finishTurn: async ({ user, params: { id } }) => {
      const own = ownedBy(models, user._id);
      const { status } = await own.turn(id);
      if (isSettled(status) || status === "queued") {
        const next = status === "queued" ? " Cancel it instead." : "";
        throw new RefusalError("not_running", `The turn is ${status}.${next}`, { status });
      }
      await tellTurn(context, user._id, id, "finishWorkOrder", [{ turnId: id }]);
      return { turn: turnToWire(await own.turn(id)) };
    },
    sendMessage: async ({ user, params: { id }, body }) => {
      await limits.prompt(user._id, body.text);
      const message = { ...body, messageId: newId(MessageId) };
      const by = personOf(user);
      relayed.note(id, by, { type: "message:steered", ...message });
      return { message: messageToWire(await sendMessage(context, user, id, message)) };
    },
    answerQuestion: async ({ user, params: { id, questionId }, body: { answer } }) => {
      const by = personOf(user);
      const given = { turnId: id, questionId, answer, by };
      relayed.note(id, by, { type: "question:closed", ...given });
      await tellTurn(context, user._id, id, "answerQuestion", [given]);
      return { ok: true };
    },
    answerApproval: async ({ user, params: { id, approvalId }, body, req }) => {
      const by = personOf(user);
      const given = { turnId: id, approvalId, ...body, by };
      relayed.note(id, by, { type: "approval:closed", ...given });
      await answerApproval(context, user._id, given);
      audit(context, {
        action: "approval answered",
        by,
        address: req.ip,
        subject: id,
        detail: body.decision,
      });
      return { ok: true };
    },
    cancelTool: async ({ user, params: { id, callId } }) => {
      await tellTurn(context, user._id, id, "cancelTool", [{ turnId: id, callId }]);
      return { ok: true };
    },
  } satisfies Handlers;
}
