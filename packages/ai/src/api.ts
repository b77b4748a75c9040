import type { z } from "zod";
import type { AiFailure } from "./failure/failure.ts";

export interface AiText {
  type: "text";
  text: string;
}

export interface AiImage {
  type: "image";
  /** For example `image/png`. */
  mediaType: string;
  /** Base64, without the `data:` prefix. */
  data: string;
}

export interface AiReasoning {
  type: "reasoning";
  text: string;
  /** The field in which the server sent it, so that it goes back in the same one. */
  field?: string;
}

/** The arguments of a call as a complete JSON object, or what came instead, as a value. */
export type AiToolArguments =
  | { ok: true; value: Record<string, unknown> }
  | { ok: false; text: string; error: string };

export interface AiToolCall {
  type: "toolcall";
  /** Unique in the conversation, also where the server sends none or repeats them. */
  id: string;
  name: string;
  arguments: AiToolArguments;
  /** The server's own data about this call (Gemini's thought signatures), sent back unchanged. */
  extra?: Record<string, unknown>;
}

export interface AiSystemMessage {
  role: "system";
  content: string;
}

export interface AiUserMessage {
  role: "user";
  content: string | (AiText | AiImage)[];
  /** What is asked now: a summary never stands in its place. */
  pinned?: boolean;
}

export interface AiAssistantMessage {
  role: "assistant";
  content: (AiText | AiReasoning | AiToolCall)[];
  /**
   * The answer had no proper end (abort, failure). Its calls never started, and the model is told
   * of it when the history is serialised.
   */
  interrupted?: boolean;
}

/** What is known of a call: it ended, it never began, or nobody can say (it may have run). */
export type AiToolOutcome = "finished" | "never_started" | "unknown";

export interface AiToolMessage {
  role: "tool";
  callId: string;
  content: string | (AiText | AiImage)[];
  /** Says in words what happened when `content` is empty; defaults to `finished`. */
  outcome?: AiToolOutcome;
}

/**
 * A conversation. It may be in any state that a crash can leave it in: every provider repairs it
 * when it is serialised (calls without a result, results without a call, roles that don't alternate).
 */
export type AiMessage = AiSystemMessage | AiUserMessage | AiAssistantMessage | AiToolMessage;

export type JsonSchema = Record<string, unknown>;

export interface AiTool {
  name: string;
  description: string;
  /** A zod schema of an object, or the JSON Schema of one. */
  input: z.ZodType | JsonSchema;
}

export type AiReasoningEffort = "none" | "minimal" | "low" | "medium" | "high";

export interface AiParameters {
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  reasoningEffort?: AiReasoningEffort;
  stop?: string[];
  seed?: number;
  /** Ollama only: `num_ctx`. Always sent; without a value the provider's. */
  contextLength?: number;
  /** Ollama only: how long the model stays loaded (`"5m"`, seconds, -1 for ever). */
  keepAlive?: string | number;
}

export interface IAiChatOptions {
  /** Decides alone whether an end is an abort; the connection is closed when it fires. */
  signal: AbortSignal;
  model: string;
  messages: readonly AiMessage[];
  tools?: readonly AiTool[];
  toolChoice?: "auto" | "none" | "required";
  parameters?: AiParameters;
}

export interface IAiGenerateOptions {
  signal: AbortSignal;
  model: string;
  messages: readonly AiMessage[];
  parameters?: AiParameters;
  /** Whether the server is asked to stream; true unless told otherwise. */
  stream?: boolean;
  /** Sees the events of the answer while it comes, back-off included. */
  onEvent?: (event: AiEvent) => void;
}

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

export type AiAnswer =
  | {
      ok: true;
      text: string;
      reason: AiFinishReason;
      message: AiAssistantMessage;
      usage: AiUsage;
    }
  | { ok: false; failure: AiFailure; message: AiAssistantMessage; usage: AiUsage };

export type AiResult<T> = { ok: true; value: T } | { ok: false; failure: AiFailure };

export interface AiModel {
  id: string;
  /** Absent: the server does not say. */
  contextLength?: number;
  /** Whether the model can call tools; absent: the server does not say. */
  tools?: boolean;
  reasoning?: boolean;
  images?: boolean;
}

/** What requests to a model go by, and plans for it: one number, told or assumed. */
export interface AiModelFacts extends AiModel {
  contextLength: number;
  /** Nobody said how much it can read. */
  assumed?: boolean;
}

export interface AiTestReport {
  models: AiModel[];
  /** Whether the model that was asked for is among them. */
  modelFound?: boolean;
  tookMs: number;
}

export interface AiProvider {
  /** Streams one answer. Never throws for an expected failure: the last event says it. */
  chat(options: IAiChatOptions): AsyncIterable<AiEvent>;
  /** Answers once, without tools. */
  generate(options: IAiGenerateOptions): Promise<AiAnswer>;
  listModels(options: { signal: AbortSignal }): Promise<AiResult<AiModel[]>>;
  /**
   * What is known of one model; never fails. Ollama is asked for exactly this context length from
   * then on.
   */
  describeModel(options: { signal: AbortSignal; model: string }): Promise<AiModelFacts>;
  /** Whether address, key and (if given) model are usable, without a retry. */
  test(options: { signal: AbortSignal; model?: string }): Promise<AiResult<AiTestReport>>;
  /** Closes idle connections. What runs is closed by its own signal. */
  close(): void;
}
