import * as z from "zod/mini";
import { MessageMode, QueuedMessage } from "../chat-session.ts";
import { ChatTurn } from "../chat-turn.ts";
import { ApprovalId, CallId, QuestionId, SessionId, TurnId } from "../id.ts";
import { promptText } from "../messages/ide.ts";
import { TurnStatus } from "../turn.ts";
import { ApprovalDecision, TurnEvent } from "../turn-event.ts";
import { TurnDiff, UndoResult } from "../workspace.ts";
import { listOf, ok, page, route } from "./route.ts";

const turn = z.object({ turn: ChatTurn });
const sessionId = z.strictObject({ id: SessionId });
const turnId = z.strictObject({ id: TurnId });

export const turnRoutes = {
  listSessionTurns: route({
    method: "GET",
    path: "/sessions/:id/turns",
    summary: "A session's turns, newest first.",
    params: sessionId,
    query: z.strictObject(page),
    answer: listOf(ChatTurn),
  }),
  submitTurn: route({
    method: "POST",
    path: "/sessions/:id/turns",
    summary: "Submit a prompt, or continue a turn that was cut off. `turnId` makes a retry safe.",
    status: 202,
    params: sessionId,
    body: z
      .strictObject({
        prompt: z.optional(promptText),
        continues: z.optional(TurnId),
        turnId: z.optional(TurnId),
        runAnyway: z.optional(z.boolean()),
      })
      .check(
        z.refine(({ prompt, continues }) => prompt !== undefined || continues !== undefined, {
          path: ["prompt"],
          error: "it is empty",
        }),
      ),
    answer: turn,
  }),
  compactSession: route({
    method: "POST",
    path: "/sessions/:id/compact",
    summary: "Summarise the conversation for the model, by a turn of its own. Nothing is deleted.",
    status: 202,
    params: sessionId,
    answer: turn,
  }),
  listTurns: route({
    method: "GET",
    path: "/turns",
    summary: "One's own turns, newest first.",
    query: z.strictObject({ ...page, status: z.optional(TurnStatus) }),
    answer: listOf(ChatTurn),
  }),
  getTurn: route({
    method: "GET",
    path: "/turns/:id",
    summary: "One turn.",
    params: turnId,
    answer: turn,
  }),
  listEvents: route({
    method: "GET",
    path: "/turns/:id/events",
    summary:
      "The events after a number, at most 1,000 and about 4 MB a page; as an event stream, live until the turn settles.",
    params: turnId,
    query: z.strictObject({
      after: z.optional(z.coerce.number<string>().check(z.int(), z.nonnegative())),
      limit: z.optional(z.coerce.number<string>().check(z.int(), z.minimum(1), z.maximum(1_000))),
      cursor: page.cursor,
    }),
    answer: listOf(TurnEvent),
    alternatives: ["text/event-stream"],
  }),
  cancelTurn: route({
    method: "POST",
    path: "/turns/:id/cancel",
    summary: "Abort the turn. Answers within a second; `force=true` settles without the drone.",
    params: turnId,
    query: z.strictObject({ force: z.optional(z.enum(["true", "false"])) }),
    answer: z.object({ turn: ChatTurn, message: z.optional(z.string()) }),
  }),
  finishTurn: route({
    method: "POST",
    path: "/turns/:id/finish",
    summary: "Finish up: no new tools, one last answer.",
    status: 202,
    params: turnId,
    answer: turn,
  }),
  sendMessage: route({
    method: "POST",
    path: "/turns/:id/messages",
    summary: "Steer the running turn, or queue a message for the next one.",
    status: 202,
    params: turnId,
    body: z.strictObject({ text: promptText, mode: MessageMode }),
    answer: z.object({ message: QueuedMessage }),
  }),
  answerQuestion: route({
    method: "POST",
    path: "/turns/:id/questions/:questionId",
    summary: "Answer a question of the agent.",
    params: z.strictObject({ id: TurnId, questionId: QuestionId }),
    body: z.strictObject({ answer: promptText }),
    answer: ok,
  }),
  answerApproval: route({
    method: "POST",
    path: "/turns/:id/approvals/:approvalId",
    summary: "Allow a tool call once or for the session, or deny it.",
    params: z.strictObject({ id: TurnId, approvalId: ApprovalId }),
    body: z.strictObject({
      decision: ApprovalDecision,
      reason: z.optional(z.string().check(z.maxLength(2_000))),
    }),
    answer: ok,
  }),
  cancelTool: route({
    method: "POST",
    path: "/turns/:id/tools/:callId/cancel",
    summary: "Stop one tool and keep the turn.",
    params: z.strictObject({ id: TurnId, callId: CallId }),
    answer: ok,
  }),
  getDiff: route({
    method: "GET",
    path: "/turns/:id/diff",
    summary: "What the turn changed in the workspace.",
    params: turnId,
    answer: TurnDiff,
  }),
  undoTurn: route({
    method: "POST",
    path: "/turns/:id/undo",
    summary: "Undo or redo the turn's file changes; never the conversation.",
    params: turnId,
    body: z.strictObject({ preview: z.optional(z.boolean()) }),
    answer: UndoResult,
  }),
};
