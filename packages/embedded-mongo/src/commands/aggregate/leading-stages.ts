import { wholeNumber } from "../../bson/numeric.ts";
import { type Doc, isDoc, isNumeric, type Value } from "../../bson/value.ts";

/** What of a pipeline the planner can serve, and the stages that are left. */
export interface Leading {
  readonly filter: Doc;
  readonly sort: Doc | undefined;
  /** How many documents the stages that are left can use at most; they still cut them off. */
  readonly limit: number | undefined;
  readonly rest: readonly Doc[];
}

export function leadingStages(stages: readonly Doc[]): Leading {
  const filters: Doc[] = [];
  for (const stage of stages) {
    const filter = stage.size === 1 ? stage.get("$match") : undefined;
    if (!isDoc(filter)) {
      break;
    }
    filters.push(filter);
  }
  const [only = new Map<string, Value>()] = filters;
  const filter = filters.length > 1 ? new Map([["$and", filters]]) : only;
  const after = stages.slice(filters.length);
  const [first, ...others] = after;
  const sort = first?.size === 1 ? first.get("$sort") : undefined;
  if (!isDoc(sort) || sort.size === 0) {
    return { filter, sort: undefined, limit: limitOf(after), rest: after };
  }
  return { filter, sort, limit: limitOf(others), rest: others };
}

/** The sum of a $skip and a $limit that come next, in either order. */
export function limitOf(stages: readonly Doc[]): number | undefined {
  let skipped = 0;
  for (const stage of stages) {
    const limit = countOf(stage, "$limit");
    if (limit !== undefined) {
      return skipped + limit;
    }
    const skip = countOf(stage, "$skip");
    if (skip === undefined) {
      return undefined;
    }
    skipped += skip;
  }
  return undefined;
}

function countOf(stage: Doc, name: string): number | undefined {
  const value = stage.size === 1 ? stage.get(name) : undefined;
  const count = isNumeric(value) ? wholeNumber(value) : undefined;
  return count === undefined || count < 0n ? undefined : Number(count);
}
