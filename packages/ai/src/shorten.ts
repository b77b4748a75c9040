import { safeCut } from "./safe-cut.ts";

const headShare = 0.6;

/**
 * Keeps the beginning and the end of a text that is too long; an error tends to be in the end. What
 * stands between them says how many characters are left out.
 */
export function shorten(
  text: string,
  limit: number,
  leftOut = (characters: number) => `[... ${characters} characters left out ...]`,
): string {
  if (text.length <= limit) {
    return text;
  }
  const head = text.slice(0, safeCut(text, Math.floor(limit * headShare)));
  const tail = text.slice(safeCut(text, text.length - Math.floor(limit * (1 - headShare))));
  return `${head}\n${leftOut(text.length - head.length - tail.length)}\n${tail}`;
}
