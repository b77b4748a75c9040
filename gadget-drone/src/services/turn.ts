import type { CallId, CommandHandlers, serverOrders, WorkOrder } from "@gadget/api";
import type { Approvals } from "./approvals.ts";
import type { Questions } from "./questions.ts";

/** What people say to a running turn. */
export type Message = Parameters<CommandHandlers<typeof serverOrders>["deliverMessage"]>[0];

/** A work order at work, as the service that runs them sees it. */
export interface Turn {
  readonly order: WorkOrder;
  readonly signal: AbortSignal;
  readonly questions: Questions;
  readonly approvals: Approvals;
  /** Resolves when nothing of the turn runs any more. */
  readonly settled: Promise<void>;
  /** Resolves when the server knows how it ended, or must not be told any more. */
  readonly delivered: Promise<void>;
  /** Never throws: how it ended is told to the server. */
  run(): Promise<void>;
  /** Somebody asked for it. */
  abort(): void;
  /** The lease is lost: nothing more is written. */
  kill(): void;
  /** The drone ends: the work stops, what was said is sent, and no end is told. */
  stop(): void;
  /** The drone ends and can't wait any longer. */
  handBack(): void;
  finish(): void;
  deliver(message: Message): void;
  /** Whether it was running. */
  cancelTool(callId: CallId): boolean;
}
