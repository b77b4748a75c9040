import { CommandError } from "../../bson/command-error.ts";
import type { CharacterSet } from "./character-set.ts";

/** A condition on the place between two characters. */
export type Place =
  | "start"
  | "lineStart"
  | "end"
  | "endOrLastNewline"
  | "lineEnd"
  | "wordEdge"
  | "noWordEdge";

/** A regular expression, read. Which of several matches is taken first makes no difference here. */
export type PatternNode =
  | {
      readonly kind: "set";
      readonly set: CharacterSet;
      /** The character, if it is one only. */
      readonly literal?: string | undefined;
    }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly nodes: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly node: PatternNode;
      readonly min: number;
      readonly max: number;
    };

/** MongoDB's error for a regular expression that it does not take. */
export function refusedPattern(pattern: string, why: string): CommandError {
  return new CommandError(
    51091,
    `Regular expression is invalid or not supported: ${pattern}: ${why}`,
  );
}
