import { tellsOfInterruption } from "./interruption.ts";

const taggedBlock = /^<([\w-]+)>[^]*?<\/\1>[ \t]*$/gm;

/**
 * What the user wrote in a message, without the notes in brackets that a client puts around it.
 * A client that joins messages has old prompts in front of the note that their answer was cut
 * short: only what comes after it is asked now.
 */
export function promptWords(text: string): string {
  const paragraphs = text.replace(taggedBlock, asNote).split(/\n{2,}/);
  const cut = paragraphs.findLastIndex((part) => isNote(part) && tellsOfInterruption(part));
  const later = withoutNotes(paragraphs.slice(cut + 1));
  return later === "" ? withoutNotes(paragraphs) : later;
}

function withoutNotes(paragraphs: string[]): string {
  return paragraphs
    .filter((part) => !isNote(part))
    .join("\n\n")
    .trim();
}

function isNote(paragraph: string): boolean {
  return /^\s*(?:\([^()]*\)|\[[^[\]]*\])\s*$/.test(paragraph);
}

function asNote(block: string): string {
  return tellsOfInterruption(block) ? "\n\n(The turn was interrupted.)\n\n" : "\n\n()\n\n";
}
