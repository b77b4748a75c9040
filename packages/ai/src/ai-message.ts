import type { z } from "zod";

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
