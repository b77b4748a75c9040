import type { Answer } from "../answer/answer.ts";
import type { AiFinishReason, AiUsage } from "../api.ts";
import { classifyError, redact, type Subject } from "../failure/classify-fault.ts";
import { makeFailure } from "../failure/failure.ts";
import {
  isRecord,
  type JsonRecord,
  jsonOf,
  listOf,
  numberOf,
  parseJson,
  recordOf,
  stringOf,
} from "../json-record.ts";

const lengthReasons = new Set(["length", "max_tokens", "model_length"]);
const refusalReasons = new Set(["content_filter", "refusal", "safety"]);

/** The fields in which servers send reasoning, in the order in which they are believed. */
const reasoningFields = ["reasoning_content", "reasoning"] as const;

/** Reads one chunk of a streamed chat completion, or a whole one, into the answer. */
export function decodeOpenAi(frame: string, answer: Answer, subject: Subject): void {
  if (frame === "[DONE]") {
    answer.closed = true;
    return;
  }
  const chunk = parseJson(frame);
  if (!isRecord(chunk)) {
    answer.failure = makeFailure("protocol", { detail: redact(frame, subject.secrets) });
    return;
  }
  if (chunk["error"]) {
    const status = numberOf(recordOf(chunk["error"])?.["code"]);
    answer.failure = classifyError(chunk, subject, status);
    return;
  }
  const usage = recordOf(chunk["usage"]);
  if (usage) {
    answer.usage = readUsage(usage);
  }
  const choice = recordOf(listOf(chunk["choices"])[0]);
  if (!choice) {
    return;
  }
  const delta = recordOf(choice["delta"]) ?? recordOf(choice["message"]);
  if (delta) {
    readDelta(delta, answer, frame);
  }
  const reason = stringOf(choice["finish_reason"]);
  if (reason) {
    readFinish(reason, answer);
  }
}

function readDelta(delta: JsonRecord, answer: Answer, frame: string): void {
  readReasoning(delta, answer);
  answer.refusal += stringOf(delta["refusal"]) ?? "";
  const { content } = delta;
  if (typeof content === "string") {
    answer.text(content);
  } else {
    listOf(content).forEach((part) => readPart(part, answer));
  }
  listOf(delta["tool_calls"]).forEach((entry, place) => {
    const call = recordOf(entry);
    if (!call) {
      return;
    }
    const fn = recordOf(call["function"]);
    const given = fn?.["arguments"];
    const extra = recordOf(call["extra_content"]);
    answer.toolCall(numberOf(call["index"]) ?? place, {
      id: stringOf(call["id"]),
      name: stringOf(fn?.["name"]),
      // Too deep to be written again: the frame it came in says the same, and is refused for it.
      text: isRecord(given) ? (jsonOf(given) ?? frame) : stringOf(given),
      extra: extra && jsonOf(extra) !== undefined ? { extra_content: extra } : undefined,
    });
  });
}

function readReasoning(delta: JsonRecord, answer: Answer): void {
  for (const field of reasoningFields) {
    const text = stringOf(delta[field]);
    if (text) {
      answer.reasoning(text, field);
      return;
    }
  }
  for (const entry of listOf(delta["reasoning_details"])) {
    const detail = recordOf(entry);
    answer.reasoning(stringOf(detail?.["text"]) ?? stringOf(detail?.["summary"]) ?? "");
  }
}

/** Content as a list of parts, as Mistral's reasoning models send it. */
function readPart(entry: unknown, answer: Answer): void {
  const part = recordOf(entry);
  if (part?.["type"] === "text") {
    answer.text(stringOf(part["text"]) ?? "");
  }
  for (const thought of listOf(part?.["thinking"])) {
    answer.reasoning(stringOf(recordOf(thought)?.["text"]) ?? "");
  }
}

function readFinish(reason: string, answer: Answer): void {
  if (refusalReasons.has(reason) || answer.refusal !== "") {
    answer.failure = makeFailure("refused", answer.refusal ? { detail: answer.refusal } : {});
    return;
  }
  answer.finish(finishReason(reason));
}

/** Unknown words are a proper end: the server gave a reason, and nothing says it was cut. */
function finishReason(reason: string): AiFinishReason {
  if (reason === "tool_calls" || reason === "function_call") {
    return "tool_calls";
  }
  return lengthReasons.has(reason) ? "length" : "stop";
}

function readUsage(usage: JsonRecord): AiUsage {
  const cached = numberOf(recordOf(usage["prompt_tokens_details"])?.["cached_tokens"]);
  const reasoning = numberOf(recordOf(usage["completion_tokens_details"])?.["reasoning_tokens"]);
  return {
    inputTokens: numberOf(usage["prompt_tokens"]) ?? 0,
    outputTokens: numberOf(usage["completion_tokens"]) ?? 0,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}
