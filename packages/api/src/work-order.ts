import * as z from "zod/mini";
import { ApprovalMode } from "./chat-session.ts";
import { Person } from "./chat-turn.ts";
import { CallId, ProjectId, SessionId, TurnId } from "./id.ts";
import { WorkspaceSource } from "./project.ts";
import { ProviderAccess } from "./provider.ts";
import { ToolOutcome } from "./turn-event.ts";

/** The turn that a message is of: a summary says through which turn it reaches. */
const origin = { turnId: z.optional(TurnId) };

/** The conversation so far, as the drone gives it to the model. Built by the server alone. */
export const HistoryMessage = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), ...origin, text: z.string() }),
  z.object({
    role: z.literal("assistant"),
    ...origin,
    text: z.string(),
    reasoning: z.optional(z.string()),
    toolCalls: z.array(z.object({ id: CallId, name: z.string(), input: z.unknown() })),
  }),
  z.object({
    role: z.literal("tool"),
    ...origin,
    callId: CallId,
    name: z.string(),
    outcome: ToolOutcome,
    text: z.string(),
  }),
  /** What the product has to tell the model: a summary, an interruption, an undo. */
  z.object({ role: z.literal("note"), ...origin, text: z.string() }),
]);
export type HistoryMessage = z.infer<typeof HistoryMessage>;

export const HistoryPage = z.object({
  messages: z.array(HistoryMessage),
  /** Older messages can be had with this cursor; null: that was all. */
  cursor: z.nullable(z.string()),
});
export type HistoryPage = z.infer<typeof HistoryPage>;

/**
 * A summary as a note. The server words it for the next turn, the drone for the one that runs: the
 * same, so that what a model has read of the conversation stays the same to the letter.
 */
export function summaryNote(summary: string): string {
  return `Summary of the conversation until here:\n\n${summary}`;
}

/** A turn as the drone receives it. */
export const WorkOrder = z.object({
  turnId: TurnId,
  sessionId: SessionId,
  projectId: ProjectId,
  /** The lease's fencing number: what the drone writes for this turn carries it. */
  epoch: z.int().check(z.nonnegative()),
  /** From here on the drone numbers the turn's events. */
  nextSeq: z.int().check(z.positive()),
  graceMs: z.int().check(z.positive()),
  prompt: z.string(),
  /** The turn that was cut off and is taken up again; there is no new user message then. */
  continues: z.optional(TurnId),
  /** Nothing is asked: the history is summarised, all of it. */
  compact: z.optional(z.boolean()),
  by: Person,
  workspace: z.object({
    source: WorkspaceSource,
    directory: z.optional(z.string()),
    environment: z.array(z.string()),
  }),
  approval: ApprovalMode,
  /** What was allowed for this session, in the words of the drone that asked. */
  allowed: z.array(z.string()),
  provider: ProviderAccess,
  model: z.string(),
  history: HistoryPage,
});
export type WorkOrder = z.infer<typeof WorkOrder>;
