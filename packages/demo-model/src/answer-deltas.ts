import type { Answer } from "./script.ts";
import { tokensOf } from "./tokens.ts";

/** One token of an answer, as it is sent: part of a text, or of a tool call's arguments. */
export type AnswerDelta =
  | { type: "reasoning"; text: string }
  | { type: "text"; text: string }
  | { type: "call"; index: number; id: string; name: string }
  | { type: "arguments"; index: number; text: string };

export function* answerDeltas(answer: Answer, newCallId: () => string): Generator<AnswerDelta> {
  for (const text of tokensOf(answer.reasoning ?? "")) {
    yield { type: "reasoning", text };
  }
  for (const text of tokensOf(answer.text)) {
    yield { type: "text", text };
  }
  for (const [index, { tool, input }] of (answer.calls ?? []).entries()) {
    yield { type: "call", index, id: newCallId(), name: tool };
    for (const text of tokensOf(JSON.stringify(input))) {
      yield { type: "arguments", index, text };
    }
  }
}
