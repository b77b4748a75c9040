import type { ChatMessage } from "./chat-request.ts";

const ended = String.raw`(?:abort|interrupt|cancell?|stopp)ed\b`;
const told = new RegExp(
  [
    String.raw`\b(?:turn|answer|response|request|reply|call|tool|command|run|user|you)\b[^.\n]{0,40}\b${ended}`,
    String.raw`\b${ended}[^.\n]{0,20}\bby\b`,
    String.raw`^\W{0,3}${ended}`,
    String.raw`\bnever started\b`,
    String.raw`\b(?:outcome|result)[^.\n]{0,20}\bunknown\b`,
  ].join("|"),
  "im",
);

// What a tool read may speak of anything; only its first or last words are about the call.
const edge = 300;

export function tellsOfInterruption(text: string): boolean {
  return told.test(text);
}

/** Whether the messages of a turn say that it was aborted or interrupted. */
export function saysInterrupted(messages: ChatMessage[]): boolean {
  return messages.some(({ role, text }) => {
    if (role === "assistant") return tellsOfInterruption(text.slice(-edge));
    if (role === "tool")
      return tellsOfInterruption(text.slice(0, edge)) || tellsOfInterruption(text.slice(-edge));
    return tellsOfInterruption(text);
  });
}
