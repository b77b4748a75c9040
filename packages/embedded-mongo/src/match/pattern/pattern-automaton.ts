import type { Place } from "./pattern-node.ts";
import type { Step } from "./program-of.ts";

/** What comes next, apart from characters. */
const endOfText = -1;
const lastNewline = -2;
const newline = 0x0a;
/** What is remembered of the character before. */
type Before = "nothing" | "newline" | "word" | "other";

/** A set of steps to go on from, with what each next character leads to. */
interface State {
  readonly from: readonly number[];
  readonly before: Before;
  readonly next: Map<number, State | "found" | "failed">;
}

const maxRemembered = 20_000;
/** What one text may cost beyond reading it: a fraction of a second. */
const maxWork = 3_000_000;

/**
 * Finds a pattern anywhere in a text. It follows all ways at once and remembers where they led, so
 * its time grows with the length of the text, never with the number of ways.
 */
export class PatternAutomaton {
  readonly #steps: readonly Step[];
  #states = new Map<string, State>();
  #remembered = 0;
  #work = 0;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /** Undefined if it takes too long to tell. */
  test(text: string): boolean | undefined {
    this.#work = 0;
    let state = this.#state([], "nothing");
    let at = 0;
    for (;;) {
      const code = text.codePointAt(at) ?? endOfText;
      at += code > 0xffff ? 2 : 1;
      const symbol = code === newline && at === text.length ? lastNewline : code;
      let next = state.next.get(symbol);
      if (next === undefined) {
        next = this.#follow(state, symbol);
        this.#remember(state, symbol, next);
        if (this.#work > maxWork) {
          return undefined;
        }
      }
      if (next === "found" || next === "failed") {
        return next === "found";
      }
      state = next;
    }
  }

  #follow(state: State, symbol: number): State | "found" | "failed" {
    const code = symbol === lastNewline ? newline : symbol;
    const seen = new Set<number>();
    const pending = [0, ...state.from];
    const next = new Set<number>();
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const step = this.#steps[at];
      if (step === undefined || seen.has(at)) {
        continue;
      }
      seen.add(at);
      this.#work += 1;
      if (step.kind === "found") {
        return "found";
      }
      if (step.kind === "split") {
        pending.push(...step.to);
      } else if (step.kind === "place") {
        if (isAt(step.place, state.before, symbol)) {
          pending.push(at + 1);
        }
      } else if (code !== endOfText && step.set.has(code)) {
        next.add(at + 1);
      }
    }
    if (code === endOfText) {
      return "failed";
    }
    const from = [...next].sort((a, b) => a - b);
    return this.#state(from, code === newline ? "newline" : isWord(code) ? "word" : "other");
  }

  #state(from: readonly number[], before: Before): State {
    const key = `${before} ${from.join(" ")}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      state = { from, before, next: new Map() };
      this.#states.set(key, state);
    }
    return state;
  }

  #remember(state: State, symbol: number, next: State | "found" | "failed"): void {
    this.#remembered += 1 + (typeof next === "string" ? 0 : Math.ceil(next.from.length / 16));
    if (this.#remembered > maxRemembered) {
      this.#states = new Map();
      this.#remembered = 0;
      return;
    }
    state.next.set(symbol, next);
  }
}

function isAt(place: Place, before: Before, next: number): boolean {
  switch (place) {
    case "start":
      return before === "nothing";
    case "lineStart":
      return before === "nothing" || (before === "newline" && next !== endOfText);
    case "end":
      return next === endOfText;
    case "endOrLastNewline":
      return next === endOfText || next === lastNewline;
    case "lineEnd":
      return next === endOfText || next === lastNewline || next === newline;
    case "wordEdge":
      return (before === "word") !== isWord(next);
    case "noWordEdge":
      return (before === "word") === isWord(next);
  }
}

/** Without the Unicode option that is ASCII, as in MongoDB. */
function isWord(code: number): boolean {
  return code >= 0 && /\w/.test(String.fromCodePoint(code));
}
