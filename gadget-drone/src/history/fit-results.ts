import { type AiMessage, type AiToolMessage, measureContext, shorten } from "@gadget/ai";

/** As packages/ai estimates. */
export const charactersPerToken = 3.7;
/** Less than this of a result tells nothing. */
const fewestCharacters = 400;

/**
 * Shortens the longest tool results, and only as much as is needed, until the messages have this
 * many tokens; undefined: they can't, there is too much beside the results.
 */
export function fitResults(
  messages: readonly AiMessage[],
  tokens: number,
  shortened: WeakMap<AiMessage, AiMessage>,
): AiMessage[] | undefined {
  const results = messages.filter((message) => message.role === "tool");
  const beside = tokensOf(messages.filter((message) => message.role !== "tool"));
  const room = (tokens - beside) * charactersPerToken;
  const cap = capFor(
    results.map((result) => lengthOf(result)).toSorted((a, b) => a - b),
    room,
  );
  if (cap < fewestCharacters) {
    return undefined;
  }
  return messages.map((message) => {
    if (message.role !== "tool" || lengthOf(message) <= cap) {
      return message;
    }
    const fitted = shortenResult(message, cap);
    shortened.set(message, fitted);
    return fitted;
  });
}

/** What the longest may have, so that all have room; shorter ones keep what they are. */
function capFor(ascending: readonly number[], room: number): number {
  let left = room;
  for (const [index, length] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (length > share) {
      return Math.floor(share) - note.length;
    }
    left -= length;
  }
  return left >= 0 ? Number.POSITIVE_INFINITY : 0;
}

const note =
  "\n[What is left out did not fit into what the model can read. Ask for smaller parts, one at a time.]";

function shortenResult(message: AiToolMessage, cap: number): AiToolMessage {
  const shorter = (text: string) => {
    const limit = Math.floor((cap * text.length) / Buffer.byteLength(text));
    return text.length > limit ? shorten(text, limit) + note : text;
  };
  const { content } = message;
  if (typeof content === "string") {
    return { ...message, content: shorter(content) };
  }
  const parts = content.map((part) =>
    part.type === "text" ? { ...part, text: shorter(part.text) } : part,
  );
  return { ...message, content: parts };
}

function lengthOf({ content }: AiToolMessage): number {
  if (typeof content === "string") {
    return Buffer.byteLength(content);
  }
  return content.reduce((sum, part) => {
    return sum + (part.type === "text" ? Buffer.byteLength(part.text) : 0);
  }, 0);
}

export function tokensOf(messages: readonly AiMessage[]): number {
  return measureContext({ messages, contextLength: 1 }).tokens;
}
