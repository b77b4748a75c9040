import type { AiEvent, AiFinishReason, AiUsage } from "./ai-event.ts";
import type { AiAssistantMessage, AiMessage, AiTool } from "./ai-message.ts";
import type { AiFailure } from "./failure/failure.ts";

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
