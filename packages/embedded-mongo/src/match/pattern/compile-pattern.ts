import type { BSONRegExp } from "bson";
import { CommandError } from "../../bson/command-error.ts";
import { parsePattern } from "./parse-pattern.ts";
import { PatternAutomaton } from "./pattern-automaton.ts";
import { type PatternNode, refusedPattern } from "./pattern-node.ts";
import { programOf } from "./program-of.ts";

/** What MongoDB answers when its engine gives up. */
const tookTooLong = 51156;

export interface Pattern {
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean;
  /** The text that every match begins with, at the start of the whole text. */
  readonly prefix: string;
}

const compiled = new WeakMap<BSONRegExp, Pattern>();

/** Compiles a regular expression, which means what it means to MongoDB or is refused. */
export function compilePattern(regex: BSONRegExp): Pattern {
  const known = compiled.get(regex);
  if (known !== undefined) {
    return known;
  }
  const unknown = /[^imsxu]/.exec(regex.options)?.[0];
  if (unknown !== undefined) {
    throw new CommandError(51108, `invalid flag in regex options: ${unknown}`);
  }
  const node = parsePattern(regex.pattern, regex.options);
  const steps = programOf(node);
  if (steps === undefined) {
    throw refusedPattern(regex.pattern, "regular expression is too large");
  }
  const automaton = new PatternAutomaton(steps);
  const pattern: Pattern = {
    prefix: prefixOf(node),
    test: (text) => {
      const found = automaton.test(text);
      if (found === undefined) {
        throw new CommandError(
          tookTooLong,
          `Error occurred while executing the regular expression: it takes too long on a text of ${text.length} characters: ${regex.pattern}`,
        );
      }
      return found;
    },
  };
  compiled.set(regex, pattern);
  return pattern;
}

function prefixOf(node: PatternNode): string {
  const [first, ...rest] = node.kind === "sequence" ? node.nodes : [];
  if (first?.kind !== "place" || first.place !== "start") {
    return "";
  }
  let prefix = "";
  for (const part of rest) {
    if (part.kind !== "set" || part.literal === undefined) {
      break;
    }
    prefix += part.literal;
  }
  return prefix;
}
