import { wholeNumber } from "../query/numeric.ts";
import { type Doc, isDoc, isNumeric, type Value } from "../query/value.ts";

/** The filter of the $match stages that a pipeline begins with, and the stages after them. */
export function leadingMatch(stages: readonly Doc[]): { filter: Doc; rest: readonly Doc[] } {
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
  return { filter, rest: stages.slice(filters.length) };
}

export interface LeadingSort {
  readonly sort?: Doc;
  /** How many documents the stages after the sort can use at most; they still cut them off. */
  readonly limit?: number;
  /** The stages after the sort. */
  readonly rest: readonly Doc[];
}

/** The $sort that a pipeline (after its leading $match) begins with. */
export function leadingSort(stages: readonly Doc[]): LeadingSort {
  const [first, ...rest] = stages;
  const sort = first?.size === 1 ? first.get("$sort") : undefined;
  if (!isDoc(sort) || sort.size === 0) {
    const limit = limitOf(stages);
    return limit === undefined ? { rest: stages } : { limit, rest: stages };
  }
  const limit = limitOf(rest);
  return limit === undefined ? { sort, rest } : { sort, limit, rest };
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
