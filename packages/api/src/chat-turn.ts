import * as z from "zod/mini";
import { DroneId, ProjectId, SessionId, TurnId, UserId } from "./id.ts";
import { Instant } from "./instant.ts";
import { Price } from "./price.ts";
import { TurnStatus } from "./turn.ts";

/** A person, as others may see them. */
export const Person = z.object({ id: UserId, name: z.string() });
export type Person = z.infer<typeof Person>;

export const Usage = z.object({
  inputTokens: z.int().check(z.nonnegative()),
  outputTokens: z.int().check(z.nonnegative()),
  cachedInputTokens: z.optional(z.int().check(z.nonnegative())),
  /** The provider sent no counts: these are ours, shown with ≈. */
  estimated: z.optional(z.boolean()),
  /** How full the model's context is after the last call. */
  contextTokens: z.optional(z.int().check(z.nonnegative())),
  contextWindow: z.optional(z.int().check(z.positive())),
});
export type Usage = z.infer<typeof Usage>;

export const FileChange = z.object({
  path: z.string(),
  change: z.enum(["created", "modified", "deleted"]),
  added: z.int().check(z.nonnegative()),
  removed: z.int().check(z.nonnegative()),
});
export type FileChange = z.infer<typeof FileChange>;

/** The receipt of an abort: how long it took, and that nothing is left. */
export const Stopped = z.object({
  afterMs: z.number().check(z.nonnegative()),
  processes: z.int().check(z.nonnegative()),
  left: z.int().check(z.nonnegative()),
  /** The drone's machine can't prove that nothing else is left: none was seen. */
  unproven: z.optional(z.boolean()),
});
export type Stopped = z.infer<typeof Stopped>;

export const WaitingFor = z.enum(["question", "approval", "drone", "workspace", "finishing"]);
export type WaitingFor = z.infer<typeof WaitingFor>;

/** A turn, as REST and sockets show it. */
export const ChatTurn = z.object({
  id: TurnId,
  sessionId: SessionId,
  projectId: ProjectId,
  droneId: z.nullable(DroneId),
  prompt: z.string(),
  continues: z.optional(TurnId),
  /** compact: it has no prompt, and summarises what was said so far. */
  kind: z.optional(z.enum(["agent", "compact"])),
  status: TurnStatus,
  waitingFor: z.optional(WaitingFor),
  errorMessage: z.optional(z.string()),
  abortRequestedAt: z.optional(Instant),
  abortedBy: z.optional(Person),
  createdAt: Instant,
  startedAt: z.optional(Instant),
  settledAt: z.optional(Instant),
  usage: Usage,
  /** The price of its model when it started, where a person had entered one. */
  price: z.optional(Price),
  filesChanged: z.array(FileChange),
  /** They were undone, and not redone since. */
  undone: z.optional(z.boolean()),
  stopped: z.optional(Stopped),
});
export type ChatTurn = z.infer<typeof ChatTurn>;
