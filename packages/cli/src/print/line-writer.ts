import type { TerminalOutput } from "../ask/terminal.ts";

/** Writes text and knows whether the next character begins a line. */
export class LineWriter {
  readonly #write: (text: string) => void;
  #atStart = true;
  #blank = true;
  #held: string[] | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  static to(output: TerminalOutput): LineWriter {
    return new LineWriter((text) => void output.write(text));
  }

  get atStart(): boolean {
    return this.#atStart;
  }

  write(text: string): void {
    if (text === "") {
      return;
    }
    this.#blank = text.endsWith("\n\n") || (this.#atStart && text === "\n");
    this.#atStart = text.endsWith("\n");
    if (this.#held === undefined) {
      this.#write(text);
    } else {
      this.#held.push(text);
    }
  }

  /** A whole line of its own. */
  line(text: string): void {
    this.endLine();
    this.write(`${text}\n`);
  }

  endLine(): void {
    if (!this.#atStart) {
      this.write("\n");
    }
  }

  /** An empty line before what follows, except at the very beginning and after another one. */
  gap(): void {
    this.endLine();
    if (!this.#blank) {
      this.write("\n");
    }
  }

  /** While a person types, what comes in waits, so that it does not run into their words. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined && held.length > 0) {
      this.#write(held.join(""));
    }
  }
}
