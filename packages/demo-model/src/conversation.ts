import type { ChatMessage, ChatRequest, OfferedTool } from "./chat-request.ts";
import { saysInterrupted } from "./interruption.ts";
import type { JsonObject } from "./json.ts";
import { promptWords } from "./prompt-words.ts";

export interface SettledCall {
  name: string;
  input: JsonObject;
  result: string;
}

/** What a script may know: all of it is read from one request's messages. */
export interface Conversation {
  /** The words that chose the script. */
  prompt: string;
  /** The whole message with the prompt, as the client sent it. */
  material: string;
  /** A message that came while the script was running, not answered yet. */
  aside: string | undefined;
  /** Everything that was said since the prompt. */
  said: string;
  /** The tool calls since the prompt, oldest first. */
  calls: SettledCall[];
  tools: OfferedTool[];
  /** The text of every assistant message. */
  answers: string[];
  /** The turn before the last user message was aborted or interrupted, and nobody said so yet. */
  interrupted: boolean;
}

const continuation = /^\W*(?:please )?(?:continue|carry on|go on|resume)\b/i;

export function readConversation(
  { messages, tools }: ChatRequest,
  isKnown: (prompt: string) => boolean,
): Conversation {
  const last = messages.findLastIndex((message) => message.role === "user");
  const start = promptIndex(messages, last, isKnown);
  const since = messages.slice(start + 1);
  const answered = messages.slice(last + 1).some((message) => message.role === "assistant");
  const aside = start === last || answered ? "" : promptWords(messages[last]?.text ?? "");
  return {
    prompt: promptWords(messages[start]?.text ?? ""),
    material: messages[start]?.text ?? "",
    aside: aside === "" || continuation.test(aside) ? undefined : aside,
    said: since.map((message) => (message.role === "assistant" ? message.text : "")).join(""),
    calls: settledCalls(since),
    tools,
    answers: messages.filter(({ role }) => role === "assistant").map(({ text }) => text),
    interrupted: !answered && saysInterrupted(turnBefore(messages, last)),
  };
}

/**
 * The last user message, unless it only goes on with an earlier prompt: "Continue", or a
 * message that came in the middle of a turn and asks for nothing that a script knows.
 */
function promptIndex(
  messages: ChatMessage[],
  last: number,
  isKnown: (prompt: string) => boolean,
): number {
  for (let index = last; index >= 0; index--) {
    const message = messages[index];
    if (message?.role !== "user") {
      continue;
    }
    const words = promptWords(message.text);
    if (isKnown(words)) {
      return index;
    }
    if (words !== "" && !continuation.test(words) && !cameMidTurn(messages, index)) {
      return last;
    }
  }
  return last;
}

function cameMidTurn(messages: ChatMessage[], index: number): boolean {
  const before = messages[index - 1]?.role;
  return (before === "tool" || before === "user") && !saysInterrupted(turnBefore(messages, index));
}

/** From the answer to the previous prompt up to and with the message at `index`. */
function turnBefore(messages: ChatMessage[], index: number): ChatMessage[] {
  const previous = messages
    .slice(0, Math.max(index, 0))
    .findLastIndex(({ role }) => role === "user");
  // The instructions before the first prompt may speak of aborts in general.
  const first = messages.findIndex(({ role }) => role !== "system");
  return messages.slice(Math.max(previous + 1, first), index + 1);
}

function settledCalls(messages: ChatMessage[]): SettledCall[] {
  const results = new Map(messages.map((message) => [message.callId, message.text]));
  return messages.flatMap((message) =>
    message.calls.map(({ id, name, input }) => ({ name, input, result: results.get(id) ?? "" })),
  );
}
