import type { CommandError } from "../../bson/command-error.ts";
import { refusedPattern } from "./pattern-node.ts";

const controlEscapes: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["e", "\x1b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** The text of a regular expression, and how far it was read. */
export class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  /** The next character, or "". */
  peek(): string {
    const code = this.#pattern.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  next(): string {
    const char = this.peek();
    this.#at += char.length;
    return char;
  }

  take(text: string): boolean {
    const isNext = this.#pattern.startsWith(text, this.#at);
    this.#at += isNext ? text.length : 0;
    return isNext;
  }

  /** Whether a sticky expression matches here. */
  looksAt(sticky: RegExp): boolean {
    sticky.lastIndex = this.#at;
    return sticky.test(this.#pattern);
  }

  takeMatch(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#pattern) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  /** The character of an escape whose backslash was read. */
  escapedCharacter(): string {
    const letter = this.next();
    if (letter === "") {
      throw this.refuse("\\ at end of pattern");
    }
    const control = controlEscapes.get(letter);
    if (control !== undefined) {
      return control;
    }
    if (letter === "0") {
      return String.fromCodePoint(Number.parseInt(`0${this.#digits(/[0-7]{0,2}/y)}`, 8));
    }
    if (letter === "x" && !this.take("{")) {
      return String.fromCodePoint(Number.parseInt(`0${this.#digits(/[0-9A-Fa-f]{0,2}/y)}`, 16));
    }
    if (letter === "x") {
      return this.#braced(/([0-9A-Fa-f]+)\}/y, 16);
    }
    if (letter === "o" && this.take("{")) {
      return this.#braced(/([0-7]+)\}/y, 8);
    }
    if (letter === "c") {
      const char = this.next().toUpperCase();
      if (!/^[ -~]$/.test(char)) {
        throw this.refuse("\\c must be followed by a printable ASCII character");
      }
      return String.fromCharCode(char.charCodeAt(0) ^ 0x40);
    }
    if (/[A-Za-z0-9]/.test(letter)) {
      throw this.refuse(`\\${letter} is not supported`);
    }
    return letter;
  }

  refuse(why: string): CommandError {
    return refusedPattern(this.#pattern, why);
  }

  #digits(sticky: RegExp): string {
    return this.takeMatch(sticky)?.[0] ?? "";
  }

  #braced(sticky: RegExp, base: number): string {
    const code = Number.parseInt(this.takeMatch(sticky)?.[1] ?? "", base);
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    if (Number.isNaN(code) || code > 0x10ffff || isSurrogate) {
      throw this.refuse("character code in braces is invalid");
    }
    return String.fromCodePoint(code);
  }
}
