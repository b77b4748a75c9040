import { plainText } from "../../plain-text.ts";

const longest = 200;

/** The latest line in which git says how far it is. */
export class ProgressLine {
  #last = "";
  #rest = "";

  get last(): string {
    return this.#last;
  }

  /** What git wrote, in pieces of any size. */
  add(text: string): void {
    const lines = (this.#rest + text).split(/[\r\n]+/);
    this.#rest = (lines.pop() ?? "").slice(-longest);
    const told = lines.findLast((line) => /\d%|\d, done/.test(line));
    if (told !== undefined) {
      this.#last = withoutPassword(plainText(told)).trim().slice(0, longest);
    }
  }
}

/** Addresses may carry a password or a token, which is nobody's to read; also a wrongly written one. */
export function withoutPassword(text: string): string {
  return text.replace(/\/\/(?:[^\s/?#]+|[^\s/@:]*:(?!\d+\/)\S*)@/g, "//");
}
