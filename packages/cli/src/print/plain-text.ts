import { stripVTControlCharacters } from "node:util";

// Everything below the space but tab and newline, DEL, and the C1 range, which some terminals obey.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** The beginning of an escape sequence, or of a line's end, whose rest has not come yet. */
const unfinished =
  // oxlint-disable-next-line no-control-regex -- as above
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*$|\u001B(?:[\]PX^_][^\u0007\u001B]*\u001B?|[ -/]*)$|\r$/;
const longestSequence = 256;

/** Text from a model or a command, without anything that a terminal would obey. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(/\r\n?/g, "\n").replace(controls, "");
}

/** The same for text that comes in pieces: a sequence that was cut is held until it is whole. */
export class PlainTextStream {
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    const tail = unfinished.exec(text)?.[0] ?? "";
    this.#held = tail.length > longestSequence ? "" : tail;
    return plainText(text.slice(0, text.length - this.#held.length));
  }
}
