import type { ChatMessage } from "./chat-request.ts";

const ended = String.raw`(?:abort|interrupt|cancell?|stopp)ed\b`;
const turn = String.raw`\b(?:turn|answer|response|request|reply|run|you)\b`;
const told = new RegExp(
  [
    String.raw`${turn}[^.;\n]{0,40}\b${ended}`,
    String.raw`\b${ended}[^.;\n]{0,20}(?:\bby\b|${turn})`,
    String.raw`^\W{0,3}${ended}`,
    String.raw`\bnever started\b`,
    String.raw`\b(?:outcome|result)[^.\n]{0,30}\bunknown\b`,
  ].join("|"),
  "im",
);

// A call can be stopped, skipped or denied in a turn that goes on to its end.
const callOnly = /\bthe turn goes on\b|\btime limit\b|\bwas skipped\b|\bnot allowed\b|\bdenied\b/i;

// What a tool read may speak of anything; only its first or last words are about the call.
const edge = 300;

export function tellsOfInterruption(text: string): boolean {
  return told.test(text);
}

/** Whether the messages of a turn say that it was aborted or interrupted. */
export function saysInterrupted(messages: ChatMessage[]): boolean {
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.some(({ role, text }, index) => {
    if (role === "assistant") {
      return tellsOfInterruption(text.slice(-edge));
    }
    if (role !== "tool") {
      return tellsOfInterruption(text);
    }
    // The turn went on after this call, however that ended.
    if (index < lastAnswer) {
      return false;
    }
    const edges = text.length > 2 * edge ? [text.slice(0, edge), text.slice(-edge)] : [text];
    return edges.some(tellsOfInterruption) && !edges.some((part) => callOnly.test(part));
  });
}
