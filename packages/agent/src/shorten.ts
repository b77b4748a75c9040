import { safeCut } from "@gadget/ai";

const headShare = 0.6;

/** Keeps the beginning and the end of a text that is too long; an error tends to be in the end. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) {
    return text;
  }
  const head = text.slice(0, safeCut(text, Math.floor(limit * headShare)));
  const tail = text.slice(safeCut(text, text.length - Math.floor(limit * (1 - headShare))));
  const left = text.length - head.length - tail.length;
  return `${head}\n[... ${left} characters left out ...]\n${tail}`;
}
