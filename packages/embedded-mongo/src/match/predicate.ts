import type { Doc, Value } from "../bson/value.ts";
import type { FieldBounds, PathBounds } from "./bounds.ts";
import { someAt } from "./some-at.ts";

/** Receives the position of the array element that matched, for the positional operator. */
export interface MatchDetails {
  arrayIndex: number | undefined;
}

/** A condition on the values at some path; a leaf holds if any of them passes its test. */
export type Predicate =
  | {
      readonly kind: "leaf";
      readonly test: (value: Value | undefined, details: MatchDetails | undefined) => boolean;
      /** The elements of an array at the end of the path are tested too. */
      readonly unwind: boolean;
      readonly bounds?: PathBounds | undefined;
      /** Bounds of fields below the path, from $elemMatch. */
      readonly nested?: readonly FieldBounds[];
    }
  | { readonly kind: "all"; readonly parts: readonly Predicate[] }
  | { readonly kind: "not"; readonly part: Predicate };

/** What the operators of one field need of the filter around them. */
export interface FieldScope {
  readonly path: string;
  readonly compileFilter: (filter: Doc) => ElementFilter;
}

export interface ElementFilter {
  matches(doc: Doc): boolean;
  readonly bounds: readonly FieldBounds[];
}

export function leaf(test: (value: Value | undefined) => boolean, bounds?: PathBounds): Predicate {
  return { kind: "leaf", test, unwind: true, bounds };
}

export function not(part: Predicate): Predicate {
  return { kind: "not", part };
}

export function holdsAt(
  predicate: Predicate,
  root: Doc,
  path: readonly string[],
  details: MatchDetails | undefined,
): boolean {
  switch (predicate.kind) {
    case "all":
      return predicate.parts.every((part) => holdsAt(part, root, path, details));
    case "not":
      return !holdsAt(predicate.part, root, path, undefined);
    case "leaf": {
      const { test, unwind } = predicate;
      return someAt(root, path, unwind, (value, arrayIndex) => {
        if (!test(value, details)) {
          return false;
        }
        if (details !== undefined && arrayIndex !== undefined) {
          details.arrayIndex = arrayIndex;
        }
        return true;
      });
    }
  }
}

/** The same condition on one value, as within $elemMatch and $pull: arrays are not entered. */
export function holdsFor(predicate: Predicate, value: Value | undefined): boolean {
  switch (predicate.kind) {
    case "all":
      return predicate.parts.every((part) => holdsFor(part, value));
    case "not":
      return !holdsFor(predicate.part, value);
    case "leaf":
      return predicate.test(value, undefined);
  }
}
