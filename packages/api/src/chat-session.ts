import * as z from "zod/mini";
import { ChatTurn } from "./chat-turn.ts";
import { Cost } from "./cost.ts";
import { DroneId, MessageId, ProjectId, ProviderId, SessionId, TurnId } from "./id.ts";
import { Instant } from "./instant.ts";
import { Transcript } from "./transcript.ts";
import { TurnStatus } from "./turn.ts";

/** auto: nothing asks · edits: files are written, shell asks · ask: both ask · read-only */
export const ApprovalMode = z.enum(["auto", "edits", "ask", "read-only"]);
export type ApprovalMode = z.infer<typeof ApprovalMode>;

export const ChatSession = z.object({
  id: SessionId,
  projectId: ProjectId,
  droneId: z.nullable(DroneId),
  title: z.string(),
  providerId: z.nullable(ProviderId),
  model: z.nullable(z.string()),
  approval: ApprovalMode,
  /** The latest turn, for lists. */
  lastTurn: z.optional(
    z.object({ id: TurnId, status: TurnStatus, waitingFor: z.optional(z.string()) }),
  ),
  /** Of its settled turns, up to and including this one, where a price was known. */
  cost: z.optional(z.extend(Cost, { throughTurnId: TurnId })),
  /** Put away: it is left out of lists that do not ask for it. */
  archived: z.optional(z.boolean()),
  createdAt: Instant,
  updatedAt: Instant,
});
export type ChatSession = z.infer<typeof ChatSession>;

/** steer: before the next model call of the running turn · queue: starts the next turn */
export const MessageMode = z.enum(["steer", "queue"]);
export type MessageMode = z.infer<typeof MessageMode>;

export const QueuedMessage = z.object({
  id: MessageId,
  sessionId: SessionId,
  turnId: z.optional(TurnId),
  mode: MessageMode,
  text: z.string(),
  createdAt: Instant,
  /** It waits for a person, because a turn was cut off while it waited: by what. */
  paused: z.optional(z.enum(["aborted", "error", "interrupted"])),
});
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** A turn with all that is to be seen of it. */
export const TurnWithTranscript = z.object({ turn: ChatTurn, transcript: Transcript });
export type TurnWithTranscript = z.infer<typeof TurnWithTranscript>;
