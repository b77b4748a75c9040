import type { AiAssistantMessage, AiMessage, AiToolCall, AiToolOutcome } from "@gadget/ai";
import type { HistoryMessage, ToolOutcome, WorkOrder } from "@gadget/api";

/** The conversation as the model is given it: instructions, history, and what is asked now. */
export function fromWire(
  order: Pick<WorkOrder, "prompt" | "continues">,
  history: readonly HistoryMessage[],
  instructions: string,
): AiMessage[] {
  const prompt = order.prompt === "" ? continuePrompt : order.prompt;
  return [
    { role: "system", content: instructions },
    ...history.map(toMessage),
    { role: "user", content: prompt, pinned: true },
  ];
}

/** A turn that takes up another one has no words of the user's own. */
const continuePrompt = "Continue where you were cut off.";

/** What the product tells the model, so that it is not taken for a person's words. */
export function noteText(text: string): string {
  return `(Note: ${text})`;
}

export function toMessage(message: HistoryMessage): AiMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.text };
    case "note":
      return { role: "user", content: noteText(message.text) };
    case "tool": {
      const { callId, text } = message;
      return { role: "tool", callId, content: text, outcome: outcomes[message.outcome] };
    }
    case "assistant":
      return { role: "assistant", content: toContent(message) };
  }
}

const outcomes: Record<ToolOutcome, AiToolOutcome> = {
  finished: "finished",
  failed: "finished",
  cancelled: "unknown",
  never_started: "never_started",
  unknown: "unknown",
};

function toContent(message: HistoryMessage & { role: "assistant" }): AiAssistantMessage["content"] {
  const { text, reasoning, toolCalls } = message;
  return [
    ...(reasoning === undefined ? [] : [{ type: "reasoning" as const, text: reasoning }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...toolCalls.map(toCall),
  ];
}

function toCall({ id, name, input }: { id: string; name: string; input: unknown }): AiToolCall {
  if (isRecord(input)) {
    return { type: "toolcall", id, name, arguments: { ok: true, value: input } };
  }
  const text = typeof input === "string" ? input : JSON.stringify(input ?? null);
  const error = "The arguments were no JSON object.";
  return { type: "toolcall", id, name, arguments: { ok: false, text, error } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
