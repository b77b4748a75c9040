import { type AiProviderConfig, createProvider } from "../src/index.ts";

/** How one API looks on the wire, so that one suite can play the same scenes with every provider. */
export interface Wire {
  kind: "openai" | "ollama";
  chatPath: string;
  contentType: string;
  text(text: string): string;
  reasoning(text: string): string;
  /** A call in as many chunks as the API uses. */
  call(name: string, argumentsJson: string): string[];
  /** The finish reason, before what may follow it. */
  finish(reason?: "stop" | "length"): string;
  /** What follows the finish reason. */
  tail: string;
  /** A complete answer that was not streamed. */
  whole(text: string): string;
  errorBody(message: string, code?: string): string;
  errorInStream(message: string): string;
  modelList(...ids: string[]): string;
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (value: object, reason: string | null = null) =>
  data({
    id: "c1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: value, finish_reason: reason }],
  });

export const openai: Wire = {
  kind: "openai",
  chatPath: "/v1/chat/completions",
  contentType: "text/event-stream",
  text: (content) => delta({ content }),
  reasoning: (text) => delta({ reasoning_content: text }),
  call: (name, argumentsJson) => [
    delta({
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: "" } }],
    }),
    ...argumentsJson
      .split("")
      .map((piece) => delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ],
  finish: (reason = "stop") => delta({}, reason),
  tail: `${data({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } })}data: [DONE]\n\n`,
  whole: (content) =>
    JSON.stringify({
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: 11, completion_tokens: 7 },
    }),
  errorBody: (message, code = "invalid_request_error") =>
    JSON.stringify({ error: { message, code, type: "error" } }),
  errorInStream: (message) => data({ error: { message, code: 503 } }),
  modelList: (...ids) => JSON.stringify({ object: "list", data: ids.map((id) => ({ id })) }),
};

const line = (value: object) => `${JSON.stringify({ model: "m", ...value })}\n`;
const message = (value: object) =>
  line({ message: { role: "assistant", content: "", ...value }, done: false });

export const ollama: Wire = {
  kind: "ollama",
  chatPath: "/api/chat",
  contentType: "application/x-ndjson",
  text: (content) => message({ content }),
  reasoning: (thinking) => message({ thinking }),
  call: (name, argumentsJson) => [
    message({ tool_calls: [{ function: { name, arguments: JSON.parse(argumentsJson) } }] }),
  ],
  finish: (reason = "stop") =>
    line({
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: reason,
      prompt_eval_count: 11,
      eval_count: 7,
    }),
  tail: "",
  whole: (content) =>
    line({
      message: { role: "assistant", content },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 11,
      eval_count: 7,
    }),
  errorBody: (error) => JSON.stringify({ error }),
  errorInStream: (error) => line({ error }),
  modelList: (...ids) => JSON.stringify({ models: ids.map((id) => ({ name: id, model: id })) }),
};

export const wires: Wire[] = [openai, ollama];

/** Waits are short in tests, but they are the real ones of the table otherwise. */
export function providerFor(wire: Wire, url: string, config: Partial<AiProviderConfig> = {}) {
  const rule = { attempts: 3, firstWaitMs: 1, longestWaitMs: 2 };
  return createProvider({
    kind: wire.kind,
    baseUrl: url,
    retry: { rate_limited: rule, overloaded: rule, network: rule },
    ...config,
  });
}
