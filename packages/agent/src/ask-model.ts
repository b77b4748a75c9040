import {
  type AiEnd,
  type AiEvent,
  type AiFailed,
  type AiProvider,
  type IAiChatOptions,
  makeFailure,
} from "@gadget/ai";
import type { AgentEvent } from "./agent-event.ts";
import { neverStartedText } from "./tool-texts.ts";

/**
 * One answer: its events as they come, its end as a value. Parts that were open when it failed are
 * closed here, so that nothing stays open on a screen; a call cut in half never started.
 */
export async function* askModel(
  provider: AiProvider,
  options: IAiChatOptions,
): AsyncGenerator<AgentEvent, AiEnd | AiFailed> {
  const open = new OpenParts();
  for await (const event of provider.chat(options)) {
    if (event.type === "end") {
      return event;
    }
    if (event.type === "failure") {
      yield* open.close(options.signal.aborted);
      return event;
    }
    if (event.type === "usage") {
      continue;
    }
    open.follow(event);
    yield event;
  }
  yield* open.close(options.signal.aborted);
  return {
    type: "failure",
    failure: makeFailure("protocol"),
    message: { role: "assistant", content: [], interrupted: true },
    usage: { inputTokens: 0, outputTokens: 0, estimated: true },
  };
}

class OpenParts {
  readonly #texts = new Map<string, { type: "text" | "reasoning"; text: string }>();
  readonly #calls = new Map<string, string>();

  follow(event: AiEvent): void {
    switch (event.type) {
      case "text:start":
        this.#texts.set(event.id, { type: "text", text: "" });
        break;
      case "reasoning:start":
        this.#texts.set(event.id, { type: "reasoning", text: "" });
        break;
      case "text:delta":
      case "reasoning:delta": {
        const part = this.#texts.get(event.id);
        if (part) {
          part.text += event.text;
        }
        break;
      }
      case "text:end":
      case "reasoning:end":
        this.#texts.delete(event.id);
        break;
      case "toolcall:start":
        this.#calls.set(event.id, event.name);
        break;
      default:
    }
  }

  *close(aborted: boolean): Generator<AgentEvent> {
    for (const [id, { type, text }] of this.#texts) {
      yield { type: `${type}:end`, id, text };
    }
    const text = neverStartedText(aborted ? "aborted" : "incomplete");
    for (const [callId, name] of this.#calls) {
      yield { type: "tool:end", callId, name, outcome: "never_started", text };
    }
  }
}
