import type { AiMessage } from "../api.ts";
import { shorten } from "../shorten.ts";
import { tokensOfLength } from "./measure-context.ts";

/** Longer texts keep head and tail: a summary needs to know of a file, not all of it. */
const longestText = 6_000;

/** A history as plain text for a model to read, in pieces of at most the given tokens. */
export function writeTranscript(messages: readonly AiMessage[], tokens: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const entry of messages.flatMap(entries)) {
    if (piece !== "" && tokensOfLength(piece.length + entry.length) > tokens) {
      pieces.push(piece);
      piece = "";
    }
    piece += piece === "" ? entry : `\n\n${entry}`;
  }
  return piece === "" ? pieces : [...pieces, piece];
}

function entries(message: AiMessage): string[] {
  if (typeof message.content === "string") {
    return [`[${message.role}]\n${shorten(message.content, longestText)}`];
  }
  return message.content.flatMap((part) => {
    switch (part.type) {
      case "text":
        return [`[${message.role}]\n${shorten(part.text, longestText)}`];
      case "image":
        return [`[${message.role}] (an image)`];
      case "reasoning":
        return [];
      case "toolcall": {
        const { arguments: parsed } = part;
        const text = parsed.ok ? JSON.stringify(parsed.value) : parsed.text;
        return [`[call of ${part.name}] ${shorten(text, longestText)}`];
      }
    }
  });
}
