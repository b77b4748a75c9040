const openTag = "<think>";
const closeTag = "</think>";
/** An answer that begins with more white space than that is text: each piece looks at all of it. */
const mostHeld = 1_000;

interface Told {
  reasoning: string;
  text: string;
}

/**
 * Models without a channel of their own for reasoning open their text with `<think>…</think>`.
 * Tells the two apart, also when a tag is split over pieces. Tags later in a text are text.
 */
export class ThinkTags {
  #state: "before" | "thinking" | "gap" | "after" = "before";
  #held = "";

  /** True once nothing is left to tell apart, so that the caller may skip this. */
  get passed(): boolean {
    return this.#state === "after";
  }

  push(piece: string): Told {
    const all = this.#held + piece;
    this.#held = "";
    if (this.#state === "before") {
      return this.#begin(all);
    }
    if (this.#state === "thinking") {
      return this.#think(all);
    }
    return this.#speak(all);
  }

  /** What was held back, when the answer is over. */
  rest(): Told {
    const held = this.#held;
    this.#held = "";
    return this.#state === "thinking"
      ? { reasoning: held, text: "" }
      : { reasoning: "", text: held };
  }

  #begin(all: string): Told {
    const start = all.trimStart();
    if (start.startsWith(openTag)) {
      this.#state = "thinking";
      return this.#think(start.slice(openTag.length));
    }
    if (openTag.startsWith(start) && all.length < mostHeld) {
      this.#held = all;
      return { reasoning: "", text: "" };
    }
    this.#state = "after";
    return { reasoning: "", text: all };
  }

  #think(all: string): Told {
    const at = all.indexOf(closeTag);
    if (at >= 0) {
      this.#state = "gap";
      return {
        reasoning: all.slice(0, at),
        text: this.#speak(all.slice(at + closeTag.length)).text,
      };
    }
    let keep = Math.min(closeTag.length - 1, all.length);
    while (keep > 0 && !closeTag.startsWith(all.slice(all.length - keep))) {
      keep--;
    }
    this.#held = all.slice(all.length - keep);
    return { reasoning: all.slice(0, all.length - keep), text: "" };
  }

  #speak(all: string): Told {
    const text = this.#state === "gap" ? all.trimStart() : all;
    if (text !== "") {
      this.#state = "after";
    }
    return { reasoning: "", text };
  }
}
