import { lexer, type Token } from "marked";

/**
 * Splits growing Markdown into blocks. What was split before is kept, and only the last block
 * is read again when text is added: the cost of a token does not grow with the answer.
 */
export class MarkdownBlocks {
  #text = "";
  #blocks: Token[] = [];

  of(text: string): readonly Token[] {
    if (text === this.#text) {
      return this.#blocks;
    }
    const kept = text.startsWith(this.#text) ? this.#settled() : [];
    const length = kept.reduce((sum, block) => sum + block.raw.length, 0);
    // The lexer normalises line ends and tabs; where lengths then differ, all is read again.
    const fits = text.startsWith(kept.map((block) => block.raw).join(""));
    this.#blocks = fits ? [...kept, ...lexer(text.slice(length))] : [...lexer(text)];
    this.#text = text;
    return this.#blocks;
  }

  /** All but the last block that says something, and the blank lines after it: it may go on. */
  #settled(): Token[] {
    const last = this.#blocks.findLastIndex(({ type }) => type !== "space");
    return this.#blocks.slice(0, Math.max(0, last));
  }
}
