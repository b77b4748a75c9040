import type { AiEnd, AiEvent, AiFailed, AiFailure, AiUsage } from "@gadget/ai";

export type ToolOutcome = "finished" | "failed" | "cancelled" | "never_started" | "unknown";

/** A message from the user to a running agent. */
export interface Steer {
  messageId: string;
  text: string;
}

export interface ChildIdentity {
  childId: string;
  parentId: string;
  /** 1 for a child of the turn's own agent. */
  depth: number;
}

/** How a loop ended; only its signal decides whether that was an abort. */
export type LoopEnd =
  | { reason: "finished" }
  /** Stopped at a step's beginning because its parent finishes. */
  | { reason: "stopped" }
  | { reason: "aborted" }
  | { reason: "failed"; failure: AiFailure };

/** What the model streams passes unchanged; its part ids are unique within one step only. */
type ModelEvent = Exclude<AiEvent, AiEnd | AiFailed | { type: "usage" }>;

/** What an agent does, in the order in which it happens. */
export type AgentEvent =
  | ModelEvent
  /** A model call begins. */
  | { type: "step"; step: number }
  /** The tokens of one model call, also of one that failed or was aborted. */
  | { type: "usage"; usage: AiUsage }
  | { type: "tool:run"; callId: string; name: string; input: unknown }
  | { type: "tool:output"; callId: string; text: string }
  | ToolEnd
  | ({ type: "message:steered" } & Steer)
  | ({ type: "subagent:start"; title: string; critical: boolean } & ChildIdentity)
  | ({ type: "subagent:end"; outcome: ToolOutcome; text: string } & ChildIdentity)
  /** A result whose parent is gone: for people only, it starts no model call. */
  | ({ type: "subagent:orphan"; reason: string; text: string } & ChildIdentity)
  /** An event of a child at any depth; starts and ends of its own children come unwrapped. */
  | { type: "subagent:event"; childId: string; event: AgentEvent }
  | Notice
  /** The loop is over, and the run waits for this many subagents. */
  | { type: "finishing"; children: number };

/** Told every event. The loop waits for what it gives, so that a slow reader slows the agent down. */
export type Emit = (event: AgentEvent) => void | Promise<void>;

/** Exactly one for each call that the model began, whatever happens. */
export interface ToolEnd {
  type: "tool:end";
  callId: string;
  name: string;
  outcome: ToolOutcome;
  input?: unknown;
  /** Exactly what the model is given. */
  text: string;
  /** What a person is shown, where that differs. */
  output?: string;
  diff?: string;
  /** Of the run itself: what waited for a person, or never started, took no time of its own. */
  durationMs?: number;
}

interface Notice {
  type: "notice";
  level: "info" | "warning" | "error";
  code: string;
  text: string;
}

/** How a run ended: after every call and every child has. */
export interface AgentEnd {
  type: "end";
  reason: "finished" | "aborted" | "failed";
  failure?: AiFailure;
  /** Messages that came too late for a model call; they wait for the user. */
  undelivered: Steer[];
}
