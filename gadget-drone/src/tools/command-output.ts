const headCharacters = 200_000;
const tailCharacters = 200_000;

/** Keeps the beginning and the end of what a command prints, however much that is. */
export class CommandOutput {
  #head = "";
  #tail = "";
  #left = 0;

  add(text: string): void {
    const room = headCharacters - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room > 0 ? room : 0);
    // Cut in large steps: a copy for each doubling, not for each chunk.
    if (this.#tail.length > 2 * tailCharacters) {
      this.#left += this.#tail.length - tailCharacters;
      this.#tail = this.#tail.slice(-tailCharacters);
    }
  }

  get text(): string {
    if (this.#left === 0) return this.#head + this.#tail;
    return `${this.#head}\n[... ${this.#left} characters left out ...]\n${this.#tail}`;
  }
}
