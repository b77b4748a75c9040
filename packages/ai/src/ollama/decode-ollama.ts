import type { Answer } from "../answer/answer.ts";
import { classifyError, redact, type Subject } from "../failure/classify-fault.ts";
import { makeFailure } from "../failure/failure.ts";
import {
  isRecord,
  jsonOf,
  listOf,
  numberOf,
  parseJson,
  recordOf,
  stringOf,
} from "../json-record.ts";

/** Reads one line of Ollama's chat, or the whole answer, into the answer. */
export function decodeOllama(
  frame: string,
  answer: Answer,
  subject: Subject,
  contextLength: number,
): void {
  const line = parseJson(frame);
  if (!isRecord(line)) {
    answer.failure = makeFailure("protocol", { detail: redact(frame, subject.secrets) });
    return;
  }
  if (line["error"]) {
    answer.failure = classifyError(line, subject);
    return;
  }
  const message = recordOf(line["message"]);
  answer.reasoning(stringOf(message?.["thinking"]) ?? "", "thinking");
  answer.text(stringOf(message?.["content"]) ?? "");
  for (const entry of listOf(message?.["tool_calls"])) {
    const call = recordOf(entry);
    const fn = recordOf(call?.["function"]);
    const given = fn?.["arguments"];
    answer.toolCall(answer.callCount, {
      id: stringOf(call?.["id"]),
      name: stringOf(fn?.["name"]),
      // Too deep to be written again: the frame it came in says the same, and is refused for it.
      text: typeof given === "string" ? given : (jsonOf(given ?? {}) ?? frame),
    });
  }
  if (line["done"] === true) {
    answer.usage = {
      inputTokens: numberOf(line["prompt_eval_count"]) ?? 0,
      outputTokens: numberOf(line["eval_count"]) ?? 0,
      contextLength,
    };
    answer.finish(line["done_reason"] === "length" ? "length" : "stop");
    answer.closed = true;
  }
}
