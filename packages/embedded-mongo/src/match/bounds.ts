import { BSONRegExp, MaxKey, MinKey } from "bson";
import { compareValues, typeRank } from "../bson/compare-values.ts";
import { BsonUndefined, isNumeric, type Value } from "../bson/value.ts";
import type { Bound, Interval } from "../keys/index-key.ts";
import { compilePattern } from "./pattern/compile-pattern.ts";

/**
 * What one conjunct of a filter demands of a path, for an index planner: a matching document has
 * at least one index key of that path within one of the intervals. Documents found by it must be
 * matched again.
 */
export interface FieldBounds extends PathBounds {
  readonly path: string;
}

export interface PathBounds {
  /** Ascending, not overlapping. */
  readonly intervals: readonly Interval[];
  /** Every interval is a single value (equality or $in). */
  readonly points: boolean;
  /** A document without the field can match, so a sparse index can't serve. */
  readonly matchesMissing: boolean;
}

const leastBound: Bound = { kind: "bracket", rank: 1 };
const greatestBound: Bound = { kind: "bracket", rank: 200 };

export const anything: PathBounds = {
  intervals: [{ lower: leastBound, upper: greatestBound }],
  points: false,
  matchesMissing: false,
};

/** Bounds of equality with any of the values; regular expressions match strings. */
export function equalityBounds(values: readonly Value[]): PathBounds {
  const intervals: Interval[] = [];
  let points = true;
  for (const value of values) {
    if (value instanceof BSONRegExp) {
      intervals.push(regexInterval(value), point(value));
      points = false;
    } else if (value === null) {
      intervals.push(point(BsonUndefined.value), point(null));
    } else if (Array.isArray(value)) {
      // An array is indexed by its elements, and as a whole within another array.
      intervals.push(
        point(value),
        point(value.length === 0 ? BsonUndefined.value : (value[0] ?? null)),
      );
    } else {
      intervals.push(point(value));
    }
  }
  return { intervals: merged(intervals), points, matchesMissing: values.includes(null) };
}

function point(value: Value): Interval {
  const bound: Bound = { kind: "value", value, inclusive: true };
  return { lower: bound, upper: bound };
}

function regexInterval(regex: BSONRegExp): Interval {
  const bracket: Bound = { kind: "bracket", rank: typeRank("") };
  const prefix = compilePattern(regex).prefix;
  const last = prefix.codePointAt(prefix.length - 1) ?? 0;
  const incrementable = last > 0 && last < 0xd7ff;
  if (!incrementable) {
    return { lower: bracket, upper: bracket };
  }
  const end = prefix.slice(0, -1) + String.fromCodePoint(last + 1);
  return {
    lower: { kind: "value", value: prefix, inclusive: true },
    upper: { kind: "value", value: end, inclusive: false },
  };
}

/** Bounds of $gt, $gte, $lt, $lte within the type of the operand. */
export function rangeBounds(
  operator: "$gt" | "$gte" | "$lt" | "$lte",
  operand: Value,
): PathBounds | undefined {
  if (operand === null) {
    return operator.endsWith("e") ? equalityBounds([null]) : undefined;
  }
  const unbounded =
    Array.isArray(operand) ||
    operand instanceof MinKey ||
    operand instanceof MaxKey ||
    Number.isNaN(operand) ||
    (isNumeric(operand) && String(operand) === "NaN");
  if (unbounded) {
    return undefined;
  }
  const bound: Bound = { kind: "value", value: operand, inclusive: operator.endsWith("e") };
  const bracket: Bound = { kind: "bracket", rank: typeRank(operand) };
  // NaN is the least number in the order, but less than nothing in a query.
  const least: Bound = isNumeric(operand)
    ? { kind: "value", value: -Infinity, inclusive: true }
    : bracket;
  const interval = operator.startsWith("$g")
    ? { lower: bound, upper: bracket }
    : { lower: least, upper: bound };
  return { intervals: [interval], points: false, matchesMissing: false };
}

/** What holds if both hold for one and the same index key. */
export function intersect(a: PathBounds, b: PathBounds): PathBounds {
  const intervals: Interval[] = [];
  for (const x of a.intervals) {
    for (const y of b.intervals) {
      const lower = compareLower(x.lower, y.lower) >= 0 ? x.lower : y.lower;
      const upper = compareUpper(x.upper, y.upper) <= 0 ? x.upper : y.upper;
      if (!isEmpty(lower, upper)) {
        intervals.push({ lower, upper });
      }
    }
  }
  return {
    intervals,
    points: a.points || b.points,
    matchesMissing: a.matchesMissing && b.matchesMissing,
  };
}

function merged(intervals: Interval[]): Interval[] {
  intervals.sort((a, b) => compareLower(a.lower, b.lower) || compareUpper(a.upper, b.upper));
  const result: Interval[] = [];
  for (const interval of intervals) {
    const last = result.at(-1);
    if (last !== undefined && !isGap(last.upper, interval.lower)) {
      const upper = compareUpper(last.upper, interval.upper) >= 0 ? last.upper : interval.upper;
      result[result.length - 1] = { lower: last.lower, upper };
    } else {
      result.push(interval);
    }
  }
  return result;
}

function isGap(upper: Bound, lower: Bound): boolean {
  return isEmpty(lower, upper);
}

/** A bound as a position: values by their order, edges of a bracket around all of its values. */
function compareLower(a: Bound, b: Bound): number {
  return compareBounds(a, b, -1);
}

function compareUpper(a: Bound, b: Bound): number {
  return compareBounds(a, b, 1);
}

function compareBounds(a: Bound, b: Bound, side: -1 | 1): number {
  const byRank = rankOf(a) - rankOf(b);
  if (byRank !== 0) {
    return byRank;
  }
  if (a.kind === "bracket" || b.kind === "bracket") {
    return a.kind === b.kind ? 0 : a.kind === "bracket" ? side : -side;
  }
  const byValue = compareValues(a.value, b.value);
  if (byValue !== 0 || a.inclusive === b.inclusive) {
    return byValue;
  }
  return a.inclusive ? side : -side;
}

function isEmpty(lower: Bound, upper: Bound): boolean {
  const byRank = rankOf(lower) - rankOf(upper);
  if (byRank !== 0) {
    return byRank > 0;
  }
  if (lower.kind === "bracket" || upper.kind === "bracket") {
    return false;
  }
  const byValue = compareValues(lower.value, upper.value);
  return byValue > 0 || (byValue === 0 && !(lower.inclusive && upper.inclusive));
}

function rankOf(bound: Bound): number {
  return bound.kind === "bracket" ? bound.rank : typeRank(bound.value);
}
