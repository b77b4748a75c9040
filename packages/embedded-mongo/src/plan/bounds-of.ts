import { BSONRegExp } from "bson";
import { identical } from "../bson/document.ts";
import { type Doc, isDoc, isNullish, type Value } from "../bson/value.ts";
import { encodeBound, type Interval } from "../keys/index-key.ts";
import { intersect, type PathBounds } from "../match/bounds.ts";
import { compileFilter, type FieldBounds, type Filter } from "../match/compile-filter.ts";

/**
 * What the filter demands of a path, in one. Where an index holds arrays (multikey), two demands
 * can be met by two elements, so that only one of them can be used.
 */
export function boundsOf(filter: Filter, path: string, multikey: boolean): PathBounds | undefined {
  const ours = filter.bounds.filter((bounds) => bounds.path === path);
  const [first, ...others] = ours;
  if (first === undefined) {
    return undefined;
  }
  if (multikey) {
    return ours.find(({ points }) => points) ?? first;
  }
  return others.reduce<PathBounds>(intersect, first);
}

/** A query of equalities with plain values: whoever has the index keys matches. */
export function isPlainEquality(query: Doc): boolean {
  return [...query].every(
    ([path, value]) =>
      !path.startsWith("$") &&
      !isDoc(value) &&
      !Array.isArray(value) &&
      !isNullish(value) &&
      !(value instanceof BSONRegExp),
  );
}

interface Condition {
  path: string;
  operator: string;
  operand: Value;
}

const comparisonOperators = ["$eq", "$gt", "$gte", "$lt", "$lte", "$in"];

/** Whether every match of the query is in a partial index with this filter. */
export function impliesPartial(partial: Doc, query: Doc, filter: Filter): boolean {
  const demanded = conditions(partial);
  const given = conditions(query) ?? [];
  return demanded !== undefined && demanded.every((one) => implied(one, given, filter.bounds));
}

function implied(
  demand: Condition,
  given: readonly Condition[],
  bounds: readonly FieldBounds[],
): boolean {
  const said = given.some(
    ({ path, operator, operand }) =>
      path === demand.path && operator === demand.operator && identical(operand, demand.operand),
  );
  if (said) {
    return true;
  }
  const known = bounds.filter(({ path }) => path === demand.path);
  if (demand.operator === "$exists") {
    return known.some(({ matchesMissing }) => !matchesMissing);
  }
  if (!comparisonOperators.includes(demand.operator)) {
    return false;
  }
  const wide = compileFilter(
    new Map([[demand.path, new Map([[demand.operator, demand.operand]])]]),
  ).bounds.filter(({ matchesMissing }) => !matchesMissing);
  return wide.some((outer) =>
    known.some(({ intervals, matchesMissing }) => {
      const inside = (inner: Interval): boolean =>
        outer.intervals.some((one) => contains(one, inner));
      return !matchesMissing && intervals.every(inside);
    }),
  );
}

function contains(outer: Interval, inner: Interval): boolean {
  const wide = encodeBound(outer, 1);
  const narrow = encodeBound(inner, 1);
  return Buffer.compare(wide.from, narrow.from) <= 0 && Buffer.compare(narrow.to, wide.to) <= 0;
}

/** The conjuncts of a filter; undefined if it has others than conditions on single paths. */
function conditions(filter: Doc): Condition[] | undefined {
  const found: Condition[] = [];
  for (const [path, condition] of filter) {
    if (path === "$and" && Array.isArray(condition)) {
      for (const part of condition) {
        const inner = isDoc(part) ? conditions(part) : undefined;
        if (inner === undefined) {
          return undefined;
        }
        found.push(...inner);
      }
    } else if (path.startsWith("$")) {
      return undefined;
    } else if (isDoc(condition) && [...condition.keys()].some((key) => key.startsWith("$"))) {
      for (const [operator, operand] of condition) {
        found.push({ path, operator, operand });
      }
    } else {
      found.push({ path, operator: "$eq", operand: condition });
    }
  }
  return found;
}
