// oxlint-disable typescript/no-unsafe-type-assertion -- the union is built in a loop over the shapes that its type is made of
import * as z from "zod/mini";
import { FileChange, Person, Stopped, Usage, WaitingFor } from "./chat-turn.ts";
import { ApprovalId, CallId, MessageId, QuestionId, TurnId } from "./id.ts";
import { Instant } from "./instant.ts";
import { TurnStatus } from "./turn.ts";

const count = z.int().check(z.nonnegative());
const seq = z.int().check(z.positive());

export const ToolOutcome = z.enum(["finished", "failed", "cancelled", "never_started", "unknown"]);
export type ToolOutcome = z.infer<typeof ToolOutcome>;

export const ApprovalDecision = z.enum(["once", "session", "deny"]);
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

export const QuestionOption = z.object({ label: z.string(), description: z.optional(z.string()) });
export type QuestionOption = z.infer<typeof QuestionOption>;

/** Why a turn stands still: its model is silent, or asked to be left alone for a while. */
export const ModelWait = z.object({
  /** For how long already, when this was said. */
  ms: z.number().check(z.nonnegative()),
  /** When it is asked again, from then on. */
  retryMs: z.optional(z.number().check(z.nonnegative())),
  /** What the provider answered; none: it could not be reached. */
  status: z.optional(z.int()),
});
export type ModelWait = z.infer<typeof ModelWait>;

/** A part's id; a tool call's part is its call id. */
const part = { partId: z.string().check(z.minLength(1), z.maxLength(200)) };
/** Which subagent a part belongs to (none: the turn's own agent), and in which step it began. */
const origin = { agentId: z.optional(z.string()), step: z.optional(count) };
const call = { callId: CallId };
const agent = { childId: z.string(), parentId: z.string(), depth: count };

const shapes = {
  "turn:changed": {
    status: TurnStatus,
    waitingFor: z.optional(WaitingFor),
    errorMessage: z.optional(z.string()),
    abortedBy: z.optional(Person),
    stopped: z.optional(Stopped),
  },
  "text:start": { ...part, ...origin },
  "text:delta": { ...part, text: z.string() },
  "text:end": { ...part, text: z.string() },
  "reasoning:start": { ...part, ...origin },
  "reasoning:delta": { ...part, text: z.string() },
  "reasoning:end": { ...part, text: z.string() },
  "tool:start": { ...call, ...origin, name: z.string() },
  /** `delta` while the arguments stream; `input`, whole, when the tool starts to run. */
  "tool:input": { ...call, delta: z.optional(z.string()), input: z.optional(z.unknown()) },
  "tool:output": { ...call, text: z.string() },
  /** `text` is exactly what the model was given; `output` what was shown, where that differs. */
  "tool:end": {
    ...call,
    name: z.string(),
    outcome: ToolOutcome,
    input: z.optional(z.unknown()),
    text: z.string(),
    output: z.optional(z.string()),
    diff: z.optional(z.string()),
    durationMs: z.optional(z.number()),
  },
  "question:open": {
    questionId: QuestionId,
    callId: z.optional(CallId),
    question: z.string(),
    options: z.optional(z.array(QuestionOption)),
  },
  "question:closed": {
    questionId: QuestionId,
    answer: z.optional(z.string()),
    by: z.optional(Person),
  },
  "approval:open": {
    approvalId: ApprovalId,
    callId: z.optional(CallId),
    name: z.string(),
    command: z.optional(z.string()),
    diff: z.optional(z.string()),
    /** Where a command would run, if not in the workspace's own folder. */
    cwd: z.optional(z.string()),
    background: z.optional(z.boolean()),
    timeoutMs: z.optional(z.number()),
    /** What "in this session" would allow from now on: a few words for a button. */
    prefix: z.optional(z.string()),
    /** The same as a sentence. */
    allows: z.optional(z.string()),
    /** What the session keeps of it; read by the drone alone. */
    allowance: z.optional(z.array(z.string().check(z.maxLength(200))).check(z.maxLength(100))),
  },
  "approval:closed": {
    approvalId: ApprovalId,
    decision: z.optional(ApprovalDecision),
    reason: z.optional(z.string()),
    by: z.optional(Person),
  },
  "message:queued": { messageId: MessageId, text: z.string(), by: z.optional(Person) },
  "message:steered": { messageId: MessageId, text: z.string(), by: z.optional(Person) },
  "subagent:start": { ...agent, title: z.string(), critical: z.optional(z.boolean()) },
  "subagent:end": { ...agent, outcome: ToolOutcome, text: z.string() },
  "subagent:orphan": { ...agent, reason: z.string(), text: z.string() },
  "file:changed": { file: FileChange },
  /**
   * The summary stands for the session's turns up to and including this one; with a step, of this
   * one only for what came up to and including that step, but not for what people said.
   */
  "history:compacted": {
    summary: z.string(),
    throughTurnId: TurnId,
    throughStep: z.optional(z.int().check(z.positive())),
  },
  /** `call`: the model call that has ended, where something was said of waiting for it. */
  usage: { usage: Usage, call: z.optional(z.string()) },
  /**
   * Of something that takes its time there is a notice at its start, others while it goes on
   * (`delta`), and one at its end. They share a part id, and each stands in the place of the last.
   * Without a start they are no part: a model's silence, told by deltas until its call has ended.
   */
  notice: {
    partId: z.optional(part.partId),
    phase: z.optional(z.enum(["start", "delta", "end"])),
    level: z.enum(["info", "warning", "error"]),
    code: z.optional(z.string()),
    text: z.string(),
    waiting: z.optional(ModelWait),
  },
} as const;

const head = {
  turnId: TurnId,
  seq,
  /** The event covers the numbers `fromSeq ?? seq` to `seq`. */
  fromSeq: z.optional(seq),
  epoch: count,
  at: Instant,
};

type Shapes = typeof shapes;
export type TurnEventType = keyof Shapes;
export const turnEventTypes = Object.keys(shapes) as [TurnEventType, ...TurnEventType[]];

type Head = z.infer<z.ZodMiniObject<typeof head>>;
type Body<Type extends TurnEventType> = z.infer<z.ZodMiniObject<Shapes[Type]>>;
type EventOf<Type extends TurnEventType> = Head & { type: Type } & Body<Type>;

/** One numbered change of a turn. */
export type TurnEvent = { [Type in TurnEventType]: EventOf<Type> }[TurnEventType];

/** An event before it has a number: what the drone's outbox takes. */
export type TurnEventBody = {
  [Type in TurnEventType]: { type: Type } & Body<Type>;
}[TurnEventType];

type EventSchema = z.ZodMiniType<TurnEvent, TurnEvent>;

function union(object: (shape: z.core.$ZodShape) => z.ZodMiniObject): EventSchema {
  const members = turnEventTypes.map((type) =>
    object({ ...head, type: z.literal(type), ...shapes[type] }),
  );
  // The members are built in a loop, so their union's type is stated here, from the same shapes.
  return z.discriminatedUnion(
    "type",
    members as unknown as [z.ZodMiniObject, ...z.ZodMiniObject[]],
  ) as unknown as EventSchema;
}

/** As clients read it: unknown keys are ignored. */
export const TurnEvent: EventSchema = union((shape) => z.object(shape));

/** No turn comes near it, and the end of a turn always has a number after it. */
const drawnSeq = z.int().check(z.positive(), z.maximum(1_000_000_000));

/** As the server takes it from a drone: unknown keys are refused. */
export const StrictTurnEvent: EventSchema = union((shape) =>
  z.strictObject({ ...shape, seq: drawnSeq, fromSeq: z.optional(drawnSeq) }),
);
