import { CommandError } from "../bson/command-error.ts";
import { isArrayIndex } from "../bson/document.ts";
import { type Doc, isDoc, type Value } from "../bson/value.ts";
import { intersect, type PathBounds } from "./bounds.ts";
import { isValueCondition } from "./equality.ts";
import {
  type ElementFilter,
  type FieldScope,
  holdsFor,
  type MatchDetails,
  type Predicate,
} from "./predicate.ts";

/** `$elemMatch`: one element of the array satisfies all of the conditions. */
export function elementMatch(
  operand: Value,
  scope: FieldScope,
  compileOperators: (spec: Doc, scope: FieldScope) => Predicate,
): Predicate {
  if (!isDoc(operand)) {
    throw new CommandError("BadValue", "$elemMatch needs an Object");
  }
  if (isValueCondition(operand)) {
    const predicate = compileOperators(operand, scope);
    const test = someElement((item) => holdsFor(predicate, item));
    return { kind: "leaf", test, unwind: false, bounds: elementBounds(predicate) };
  }
  const filter = scope.compileFilter(operand);
  const nested = filter.bounds.map((bounds) => ({
    ...bounds,
    path: `${scope.path}.${bounds.path}`,
  }));
  return { kind: "leaf", test: someElement(documentTest(filter)), unwind: false, nested };
}

function someElement(
  matches: (item: Value) => boolean,
): (value: Value | undefined, details: MatchDetails | undefined) => boolean {
  return (value, details) => {
    if (!Array.isArray(value)) {
      return false;
    }
    const index = value.findIndex(matches);
    if (index >= 0 && details !== undefined) {
      details.arrayIndex = index;
    }
    return index >= 0;
  };
}

function documentTest(filter: ElementFilter): (item: Value) => boolean {
  return (item) => {
    if (isDoc(item)) {
      return filter.matches(item);
    }
    return (
      Array.isArray(item) && filter.matches(new Map(item.map((value, i) => [String(i), value])))
    );
  };
}

/** One element satisfies all parts, so that their bounds meet even on a multikey index. */
function elementBounds(predicate: Predicate): PathBounds | undefined {
  if (predicate.kind === "not") {
    return undefined;
  }
  if (predicate.kind === "leaf") {
    const { bounds, unwind } = predicate;
    return bounds === undefined || !unwind ? undefined : { ...bounds, matchesMissing: false };
  }
  const parts = predicate.parts.map(elementBounds).filter((bounds) => bounds !== undefined);
  const [first, ...others] = parts;
  return first && others.reduce(intersect, first);
}

/** Whether bounds can be given for a path: array positions are indexed differently than matched. */
export function canBeIndexed(path: readonly string[]): boolean {
  return !path.some(isArrayIndex);
}
