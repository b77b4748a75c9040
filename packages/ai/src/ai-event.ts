import type { AiAssistantMessage, AiToolArguments } from "./ai-message.ts";
import type { AiFailure } from "./failure/failure.ts";

export interface AiUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
  /** The context length that the request asked for, where a provider lets us ask (Ollama). */
  contextLength?: number;
  /** Counted by us from the number of characters, since the server had not said. */
  estimated?: boolean;
}

export type AiFinishReason = "stop" | "tool_calls" | "length";

/**
 * An answer is a row of these. The last one is `end` or `failure`, exactly one of them; nothing
 * follows it. `end` comes only with a finish reason from the server and an un-aborted signal.
 * `toolcall:end` comes only after the finish reason, but an abort may still fall between the two:
 * run calls from the message of `end`, never from `toolcall:end`.
 */
export type AiEvent =
  | { type: "text:start"; id: string }
  | { type: "text:delta"; id: string; text: string }
  | { type: "text:end"; id: string; text: string }
  | { type: "reasoning:start"; id: string }
  | { type: "reasoning:delta"; id: string; text: string }
  | { type: "reasoning:end"; id: string; text: string }
  | { type: "toolcall:start"; id: string; name: string }
  | { type: "toolcall:delta"; id: string; text: string }
  | { type: "toolcall:end"; id: string; name: string; arguments: AiToolArguments }
  | { type: "backoff:start"; attempt: number; waitMs: number; failure: AiFailure }
  | { type: "backoff:end"; attempt: number }
  | { type: "usage"; usage: AiUsage }
  | AiEnd
  | AiFailed;

/** A complete answer; `message` is what belongs into the history. */
export interface AiEnd {
  type: "end";
  reason: AiFinishReason;
  message: AiAssistantMessage;
  usage: AiUsage;
}

/**
 * An answer that did not complete, aborted ones included. `message` is what had come until then,
 * marked `interrupted`, without calls; its content may be empty. `open` are the parts of which a
 * beginning was shown and no end: after an abort nothing more of the answer is, not even that.
 */
export interface AiFailed {
  type: "failure";
  failure: AiFailure;
  message: AiAssistantMessage;
  open: AiOpenPart[];
  usage: AiUsage;
}

/** `text` is what was shown of it. A call is open until the answer ends: it may not run before. */
export type AiOpenPart =
  | { type: "text" | "reasoning"; id: string; text: string }
  | { type: "toolcall"; id: string; name: string };
