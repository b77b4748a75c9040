import { safeCut } from "@gadget/ai";
import { leftOutMarker, linesIn } from "@gadget/api";

const headCharacters = 200_000;
const tailCharacters = 200_000;

/** Keeps the beginning and the end of what a command prints, however much that is. */
export class CommandOutput {
  #head = "";
  #tail = "";
  #left = 0;
  #leftLines = 0;

  add(text: string): void {
    // What comes after something of the tail is never of the head.
    const room = this.#tail === "" ? headCharacters - this.#head.length : 0;
    const cut = safeCut(text, room);
    this.#head += text.slice(0, cut);
    this.#tail += text.slice(cut);
    // Cut in large steps: a copy for each doubling, not for each chunk.
    if (this.#tail.length > 2 * tailCharacters) {
      const cut = safeCut(this.#tail, this.#tail.length - tailCharacters);
      const left = this.#tail.slice(0, cut);
      this.#left += left.length;
      this.#leftLines += linesIn(left);
      this.#tail = this.#tail.slice(cut);
    }
  }

  /** Whether nothing is left out. */
  get isWhole(): boolean {
    return this.#left === 0;
  }

  get text(): string {
    if (this.#left === 0) {
      return this.#head + this.#tail;
    }
    return this.#head + leftOutMarker(this.#leftLines, this.#left) + this.#tail;
  }
}
