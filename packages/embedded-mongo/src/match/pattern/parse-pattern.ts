import { CharacterSet, complement, escapeClasses, type Range } from "./character-set.ts";
import { parseClass } from "./parse-class.ts";
import type { PatternNode, Place } from "./pattern-node.ts";
import { PatternReader } from "./pattern-reader.ts";

/** As PCRE: longer patterns are refused. */
const maxPattern = 32_764;
const maxRepeat = 65_535;
const maxDepth = 250;
const newline: Range = [0x0a, 0x0a];
const anything = new CharacterSet(complement([]));
const noNewline = new CharacterSet(complement([newline]));

interface Flags {
  readonly ignoresCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly extended: boolean;
}

/** What begins a group that no automaton can match, or that would only be used by one. */
const refusedGroups: readonly (readonly [RegExp, string])[] = [
  [/\*/y, "a verb (*…)"],
  [/\?[=!]/y, "a lookahead"],
  [/\?<[=!]/y, "a lookbehind"],
  [/\?>/y, "an atomic group (?>…)"],
  [/\?\|/y, "a branch reset group (?|…)"],
  [/\?(?:R|[+-]?\d|&|P>)/y, "recursion"],
  [/\?P=/y, "a backreference"],
  [/\?\(/y, "a conditional group"],
  [/\?C/y, "a callout"],
];

/** Reads a regular expression of PCRE as MongoDB compiles it. What is not supported is refused. */
export function parsePattern(pattern: string, options: string): PatternNode {
  return new PatternParser(pattern, {
    ignoresCase: options.includes("i"),
    multiline: options.includes("m"),
    dotAll: options.includes("s"),
    extended: options.includes("x"),
  }).parse();
}

class PatternParser {
  readonly #reader: PatternReader;
  readonly #names = new Set<string>();
  #flags: Flags;
  #depth = 0;
  /** Between `\Q` and `\E`. */
  #isQuoted = false;

  constructor(pattern: string, flags: Flags) {
    this.#reader = new PatternReader(pattern);
    this.#flags = flags;
    if (Buffer.byteLength(pattern) > maxPattern) {
      throw this.#reader.refuse("it is too long");
    }
  }

  parse(): PatternNode {
    const node = this.#choice();
    if (!this.#reader.isAtEnd) {
      throw this.#reader.refuse("unmatched closing parenthesis");
    }
    return node;
  }

  #choice(): PatternNode {
    const nodes = [this.#sequence()];
    while (this.#reader.take("|")) {
      nodes.push(this.#sequence());
    }
    return nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { kind: "choice", nodes };
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    for (;;) {
      this.#skipIgnored();
      const isEnd = this.#reader.isAtEnd || (!this.#isQuoted && /[|)]/.test(this.#reader.peek()));
      if (isEnd) {
        return { kind: "sequence", nodes };
      }
      const node = this.#atom();
      if (node !== undefined) {
        nodes.push(this.#repeated(node));
      }
    }
  }

  /** What means nothing by itself: comments, white space of the x option, the ends of quotes. */
  #skipIgnored(): void {
    const reader = this.#reader;
    for (;;) {
      if (this.#isQuoted) {
        if (!reader.take("\\E")) {
          return;
        }
        this.#isQuoted = false;
      } else if (reader.take("\\Q")) {
        this.#isQuoted = true;
      } else if (reader.take("(?#")) {
        if (reader.takeMatch(/[^)]*\)/y) === undefined) {
          throw reader.refuse("missing ) after (?# comment");
        }
      } else if (
        !reader.take("\\E") &&
        !(
          this.#flags.extended &&
          reader.takeMatch(/[\t-\r \x85\u200e\u200f\u2028\u2029]|#[^\n]*\n?/y)
        )
      ) {
        return;
      }
    }
  }

  #atom(): PatternNode | undefined {
    const reader = this.#reader;
    if (this.#isQuoted) {
      return this.#literal(reader.next());
    }
    if (reader.looksAt(/[*+?]|\{\d+(?:,\d*)?\}/y)) {
      throw reader.refuse("quantifier does not follow a repeatable item");
    }
    this.#refuseLooseBraces();
    const char = reader.next();
    switch (char) {
      case ".":
        return { kind: "set", set: this.#flags.dotAll ? anything : noNewline };
      case "^":
        return place(this.#flags.multiline ? "lineStart" : "start");
      case "$":
        return place(this.#flags.multiline ? "lineEnd" : "endOrLastNewline");
      case "(":
        return this.#group();
      case "[":
        return { kind: "set", set: parseClass(reader, this.#flags.ignoresCase) };
      case "\\":
        return this.#escape();
      default:
        return this.#literal(char);
    }
  }

  #literal(char: string): PatternNode {
    const code = char.codePointAt(0) ?? 0;
    const ranges: Range[] = [[code, code]];
    return this.#flags.ignoresCase
      ? { kind: "set", set: new CharacterSet([], { folded: ranges }) }
      : { kind: "set", set: new CharacterSet(ranges), literal: char };
  }

  #escape(): PatternNode {
    const reader = this.#reader;
    const letter = reader.peek();
    const ranges = escapeClasses.get(letter);
    if (ranges !== undefined) {
      reader.next();
      return { kind: "set", set: new CharacterSet(ranges) };
    }
    const where = placeEscapes.get(letter);
    if (where !== undefined) {
      reader.next();
      return place(where);
    }
    if (letter === "N" && !reader.looksAt(/N\{/y)) {
      reader.next();
      return { kind: "set", set: noNewline };
    }
    if (/[1-9gk]/.test(letter)) {
      throw reader.refuse(`a backreference (\\${letter}) is not supported`);
    }
    return this.#literal(reader.escapedCharacter());
  }

  /** A group of which the parenthesis was read; undefined if it only sets options. */
  #group(): PatternNode | undefined {
    const reader = this.#reader;
    const refused = refusedGroups.find(([start]) => reader.looksAt(start));
    if (refused !== undefined) {
      throw reader.refuse(`${refused[1]} is not supported`);
    }
    const outer = this.#flags;
    if (reader.take("?") && !reader.take(":") && !this.#takeName()) {
      const flags = reader.takeMatch(/([imsx]*)(?:-([imsx]*))?([:)])/y);
      if (flags === undefined || /x.*x/.test(flags[1] ?? "")) {
        throw reader.refuse(`the group (?${reader.peek()} is not supported`);
      }
      this.#flags = changed(outer, flags[1] ?? "", flags[2] ?? "");
      if (flags[3] === ")") {
        return undefined;
      }
    }
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      throw reader.refuse("parentheses are too deeply nested");
    }
    const node = this.#choice();
    this.#depth -= 1;
    if (!reader.take(")")) {
      throw reader.refuse("missing closing parenthesis");
    }
    this.#flags = outer;
    return node;
  }

  #takeName(): boolean {
    const found = this.#reader.takeMatch(/P?<([A-Za-z_]\w{0,31})>|'([A-Za-z_]\w{0,31})'/y);
    const name = found?.[1] ?? found?.[2];
    if (name === undefined) {
      return false;
    }
    if (this.#names.has(name)) {
      throw this.#reader.refuse("two named subpatterns have the same name");
    }
    this.#names.add(name);
    return true;
  }

  /** The node with the quantifier that follows it. */
  #repeated(node: PatternNode): PatternNode {
    this.#skipIgnored();
    const reader = this.#reader;
    if (this.#isQuoted) {
      return node;
    }
    this.#refuseLooseBraces();
    const found = reader.takeMatch(/([*+?])|\{(\d+)(?:(,)(\d*))?\}/y);
    if (found === undefined) {
      return node;
    }
    if (node.kind === "place") {
      throw reader.refuse("a quantifier on an assertion is not supported");
    }
    if (reader.take("+")) {
      throw reader.refuse("a possessive quantifier is not supported");
    }
    reader.take("?");
    this.#skipIgnored();
    if (!this.#isQuoted && reader.looksAt(/[*+?]|\{\d+(?:,\d*)?\}/y)) {
      throw reader.refuse("a quantifier on a quantifier is not supported");
    }
    const { min, max } = limits(found);
    if (min > maxRepeat || (max !== Number.POSITIVE_INFINITY && max > maxRepeat)) {
      throw reader.refuse("number too big in {} quantifier");
    }
    if (min > max) {
      throw reader.refuse("numbers out of order in {} quantifier");
    }
    return { kind: "repeat", node, min, max };
  }

  /** `{,3}` and `{ 3 }` are text for some versions of PCRE, and quantifiers for others. */
  #refuseLooseBraces(): void {
    const isLoose = this.#reader.looksAt(/\{(?=[^}]*\d)[ \t]*\d*[ \t]*(?:,[ \t]*\d*[ \t]*)?\}/y);
    if (isLoose && !this.#reader.looksAt(/\{\d+(?:,\d*)?\}/y)) {
      throw this.#reader.refuse("a quantifier like {,3} or { 3 } is not supported");
    }
  }
}

const placeEscapes: ReadonlyMap<string, Place> = new Map<string, Place>([
  ["A", "start"],
  ["z", "end"],
  ["Z", "endOrLastNewline"],
  ["b", "wordEdge"],
  ["B", "noWordEdge"],
]);

function place(where: Place): PatternNode {
  return { kind: "place", place: where };
}

function changed(flags: Flags, on: string, off: string): Flags {
  const now = (letter: string, before: boolean): boolean =>
    (before || on.includes(letter)) && !off.includes(letter);
  return {
    ignoresCase: now("i", flags.ignoresCase),
    multiline: now("m", flags.multiline),
    dotAll: now("s", flags.dotAll),
    extended: now("x", flags.extended),
  };
}

function limits([, sign, min, comma, max]: RegExpExecArray): { min: number; max: number } {
  if (sign !== undefined) {
    return { min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
  }
  const least = Number(min);
  if (comma === undefined) {
    return { min: least, max: least };
  }
  return {
    min: least,
    max: max === undefined || max === "" ? Number.POSITIVE_INFINITY : Number(max),
  };
}
