import type { AiEvent, AiFailed, AiMessage, AiUsage } from "../api.ts";
import type { AnswerOrder } from "../backend.ts";
import { type AiFailure, makeFailure } from "../failure/failure.ts";
import { backoffMs, waitOrAbort } from "../failure/retry-table.ts";
import { tokensOfLength } from "../history/measure-context.ts";
import { Answer } from "./answer.ts";
import { ReadAnswer } from "./read-answer.ts";

/**
 * One answer as events. The signal is asked before the request, before every event and after the
 * last piece: what comes after an abort is never shown, and an aborted answer never counts as
 * complete. Nothing is retried once a part of it was shown.
 */
export async function* streamAnswer(order: AnswerOrder): AsyncGenerator<AiEvent, void, undefined> {
  const { signal } = order;
  for (let attempt = 1; ; attempt++) {
    const answer = new Answer(callIds(order.messages));
    const reading = new ReadAnswer(order, answer);
    let shown = false;
    let unshown: readonly AiEvent[] = [];
    try {
      for (let events = await reading.next(); events; events = await reading.next()) {
        for (const [at, event] of events.entries()) {
          if (signal.aborted) {
            unshown = events.slice(at);
            break;
          }
          shown = true;
          yield event;
        }
      }
    } finally {
      reading.close();
    }
    const usage = answer.usage ?? estimateUsage(order, answer, reading.accepted);
    const failed = (failure: AiFailure): AiFailed => {
      return { type: "failure", failure, ...answer.partial(unshown), usage };
    };
    if (signal.aborted) {
      yield failed(makeFailure("aborted"));
      return;
    }
    if (reading.done) {
      yield { type: "end", ...reading.done, usage };
      return;
    }
    const failure = reading.failure ?? makeFailure("protocol");
    const waitMs = shown ? undefined : backoffMs(failure, attempt, order.retry);
    if (waitMs === undefined) {
      yield failed(failure);
      return;
    }
    yield { type: "backoff:start", attempt, waitMs, failure };
    await waitOrAbort(waitMs, signal);
    if (signal.aborted) {
      yield failed(makeFailure("aborted"));
      return;
    }
    yield { type: "backoff:end", attempt };
  }
}

function callIds(messages: readonly AiMessage[]): string[] {
  return messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "toolcall" ? [part.id] : []))
      : [],
  );
}

function estimateUsage(order: AnswerOrder, answer: Answer, accepted: boolean): AiUsage {
  const { contextLength } = order;
  return {
    inputTokens: accepted ? order.estimateInput() : 0,
    outputTokens: tokensOfLength(answer.received),
    ...(contextLength !== undefined && { contextLength }),
    estimated: true,
  };
}
