import * as z from "zod/mini";
import { ChatSession, MessageMode, QueuedMessage, TurnWithTranscript } from "../chat-session.ts";
import { ChatTurn } from "../chat-turn.ts";
import { Drone } from "../drone.ts";
import { ApprovalId, CallId, MessageId, QuestionId, SessionId, TurnId } from "../id.ts";
import { isText } from "../text/is-text.ts";
import { ApprovalDecision, TurnEvent } from "../turn-event.ts";
import { abortCommand, type Commands, command, type Notices, notice } from "./command.ts";

/** Called with the drone's word, or with the server's own where the drone does not answer. */
export type AbortWorkOrderCallback = (success: boolean, message?: string) => void;
/** The turn's id comes with it, so that a late click can't end the next turn. */
export type AbortWorkOrderMessage = (turnId: TurnId, cb: AbortWorkOrderCallback) => void;

export const abortMessages = {
  signaled: "Abort signaled",
  already: "Already aborting",
  notRunning: "No active work order to abort",
  cancelledEarly: "Cancelled before it started",
  unreachable:
    "The drone is unreachable; the turn will be aborted when it returns or its grace ends",
  storing: "The abort is being stored; the database is slow",
} as const;

const text = z.refine<string>(isText, "it holds a character that is no text");
export const promptText = z.string().check(z.minLength(1), z.maxLength(200_000), text);

export const SubmitPrompt = z.strictObject({
  sessionId: SessionId,
  /** Made by the page: a retry of the same prompt is the same turn. */
  turnId: TurnId,
  prompt: z.optional(promptText),
  continues: z.optional(TurnId),
  runAnyway: z.optional(z.boolean()),
});
export type SubmitPrompt = z.infer<typeof SubmitPrompt>;

export const JoinSession = z.strictObject({
  sessionId: SessionId,
  /** What the page holds already: it is sent only what comes after. */
  have: z.optional(
    z.array(z.strictObject({ turnId: TurnId, after: z.int() })).check(z.maxLength(1_000)),
  ),
});
export type JoinSession = z.infer<typeof JoinSession>;

export const JoinedSession = z.object({
  session: ChatSession,
  /** The newest turns that the page does not have, whole, oldest first. */
  turns: z.array(TurnWithTranscript),
  /** Whether there are older ones than the first of these. */
  hasOlder: z.optional(z.boolean()),
  /** For the turns that it has: what it missed. */
  missed: z.array(z.object({ turn: ChatTurn, events: z.array(TurnEvent) })),
  queue: z.array(QueuedMessage),
});
export type JoinedSession = z.infer<typeof JoinedSession>;

/** What the page may ask; the server's CodeSession answers. */
export const ideCommands = {
  joinSession: command(z.tuple([JoinSession]), JoinedSession),
  leaveSession: command(z.tuple([z.strictObject({ sessionId: SessionId })]), z.object({})),
  submitPrompt: command(z.tuple([SubmitPrompt]), z.object({ turn: ChatTurn })),
  abortWorkOrder: abortCommand(TurnId),
  forceStop: command(z.tuple([z.strictObject({ turnId: TurnId })]), z.object({ turn: ChatTurn })),
  finishWorkOrder: command(z.tuple([z.strictObject({ turnId: TurnId })]), z.object({})),
  sendMessage: command(
    z.tuple([
      z.strictObject({
        turnId: TurnId,
        messageId: MessageId,
        text: promptText,
        mode: MessageMode,
      }),
    ]),
    z.object({ message: QueuedMessage }),
  ),
  answerQuestion: command(
    z.tuple([z.strictObject({ turnId: TurnId, questionId: QuestionId, answer: promptText })]),
    z.object({}),
  ),
  answerApproval: command(
    z.tuple([
      z.strictObject({
        turnId: TurnId,
        approvalId: ApprovalId,
        decision: ApprovalDecision,
        reason: z.optional(z.string().check(z.maxLength(2_000), text)),
      }),
    ]),
    z.object({}),
  ),
  cancelTool: command(z.tuple([z.strictObject({ turnId: TurnId, callId: CallId })]), z.object({})),
} satisfies Commands;

/** What the server tells the page without being asked. */
export const ideNotices = {
  turnEvents: notice(z.tuple([z.object({ turnId: TurnId, events: z.array(TurnEvent) })])),
  turnChanged: notice(z.tuple([z.object({ turn: ChatTurn })])),
  workOrderComplete: notice(z.tuple([TurnId, z.boolean(), z.optional(z.string())])),
  sessionChanged: notice(z.tuple([z.object({ session: ChatSession })])),
  queueChanged: notice(
    z.tuple([z.object({ sessionId: SessionId, queue: z.array(QueuedMessage) })]),
  ),
  droneChanged: notice(z.tuple([z.object({ drone: Drone })])),
} satisfies Notices;
