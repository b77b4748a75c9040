import { readChatRequest } from "../src/chat-request.ts";
import { checkHistory } from "../src/check-history.ts";
import type { JsonObject } from "../src/json.ts";
import { nextStep } from "../src/next-step.ts";
import type { Answer, Step } from "../src/script.ts";
import { tools } from "./chat-body.ts";

/** What the model does next for these messages. */
export function next(messages: JsonObject[], offered: object[] = tools): Step {
  const read = readChatRequest(JSON.stringify({ model: "demo", messages, tools: offered }));
  if (!read.ok) {
    throw new Error(read.error.message);
  }
  const problem = checkHistory(read.request.messages);
  if (problem) {
    throw new Error(problem.message);
  }
  return nextStep(read.request).step;
}

export function nextAnswer(messages: JsonObject[], offered: object[] = tools): Answer {
  const step = next(messages, offered);
  if (step.kind === "failure") {
    throw new Error(`The model failed: ${step.error.message}`);
  }
  return step;
}
