import * as z from "zod/mini";
import { FileChange, Person } from "./chat-turn.ts";
import { ApprovalId, CallId, MessageId, QuestionId } from "./id.ts";
import { ApprovalDecision, ModelWait, QuestionOption, ToolOutcome } from "./turn-event.ts";

const origin = { agentId: z.optional(z.string()), step: z.optional(z.int()) };
const prose = { id: z.string(), ...origin, text: z.string(), open: z.boolean() };

const TextPart = z.object({ kind: z.literal("text"), ...prose });
const ReasoningPart = z.object({ kind: z.literal("reasoning"), ...prose });

const ToolPart = z.object({
  kind: z.literal("tool"),
  id: CallId,
  ...origin,
  name: z.string(),
  /** writing: its arguments still stream · running · ended */
  state: z.enum(["writing", "running", "ended"]),
  /** The arguments as they stream; gone once `input` is known. */
  inputText: z.optional(z.string()),
  input: z.optional(z.unknown()),
  output: z.string(),
  /** The output was cut here; the rest is in the turn's events. */
  outputCut: z.optional(z.boolean()),
  /** So many lines were cut off before it. */
  outputCutLines: z.optional(z.int()),
  /** The arguments were cut here, in the same way. */
  inputCut: z.optional(z.boolean()),
  outcome: z.optional(ToolOutcome),
  /** Exactly what the model was given. */
  result: z.optional(z.string()),
  diff: z.optional(z.string()),
  durationMs: z.optional(z.number()),
});

const QuestionPart = z.object({
  kind: z.literal("question"),
  id: QuestionId,
  callId: z.optional(CallId),
  question: z.string(),
  options: z.optional(z.array(QuestionOption)),
  open: z.boolean(),
  answer: z.optional(z.string()),
  by: z.optional(Person),
});

const ApprovalPart = z.object({
  kind: z.literal("approval"),
  id: ApprovalId,
  callId: z.optional(CallId),
  name: z.string(),
  command: z.optional(z.string()),
  diff: z.optional(z.string()),
  cwd: z.optional(z.string()),
  background: z.optional(z.boolean()),
  timeoutMs: z.optional(z.number()),
  prefix: z.optional(z.string()),
  allows: z.optional(z.string()),
  open: z.boolean(),
  decision: z.optional(ApprovalDecision),
  reason: z.optional(z.string()),
  by: z.optional(Person),
});

const FilePart = z.object({ kind: z.literal("file"), id: z.string(), file: FileChange });

const MessagePart = z.object({
  kind: z.literal("message"),
  id: MessageId,
  mode: z.enum(["steer", "queue"]),
  text: z.string(),
  by: z.optional(Person),
});

const SubagentPart = z.object({
  kind: z.literal("subagent"),
  id: z.string(),
  parentId: z.string(),
  depth: z.int(),
  title: z.string(),
  critical: z.optional(z.boolean()),
  state: z.enum(["running", "ended", "orphaned"]),
  outcome: z.optional(ToolOutcome),
  reason: z.optional(z.string()),
  text: z.optional(z.string()),
});

const NoticePart = z.object({
  kind: z.literal("notice"),
  id: z.string(),
  level: z.enum(["info", "warning", "error"]),
  code: z.optional(z.string()),
  text: z.string(),
  /** What it tells of goes on. */
  open: z.optional(z.boolean()),
  waiting: z.optional(ModelWait),
});

/** A piece of a transcript. */
export const Part = z.discriminatedUnion("kind", [
  TextPart,
  ReasoningPart,
  ToolPart,
  QuestionPart,
  ApprovalPart,
  FilePart,
  MessagePart,
  SubagentPart,
  NoticePart,
]);
export type Part = z.infer<typeof Part>;
export type PartKind = Part["kind"];
export type PartOf<Kind extends PartKind> = Extract<Part, { kind: Kind }>;
