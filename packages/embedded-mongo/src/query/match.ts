import { CommandError } from "./error.ts";
import type { Interval } from "./keys.ts";
import type { Doc } from "./value.ts";

/**
 * What the filter demands of one path, for an index planner: a matching document has at least one
 * index key of that path within one of the intervals. It is necessary, not sufficient: documents
 * found by it are matched again. Only conjuncts at the top of the filter give bounds.
 */
export interface FieldBounds {
  readonly path: string;
  readonly intervals: readonly Interval[];
  /** Every interval is a single value (equality or $in). */
  readonly points: boolean;
  /** Missing fields can match too, so that a sparse index must not be used. */
  readonly matchesMissing: boolean;
}

export interface Filter {
  matches(doc: Doc): boolean;
  /** For the positional `$`: the index of the first matched element of an array. */
  arrayIndexFor(doc: Doc): number | undefined;
  readonly bounds: readonly FieldBounds[];
}

export interface FilterOptions {
  readonly collation?: Doc;
  readonly now?: Date;
}

export function compileFilter(filter: Doc, _options: FilterOptions = {}): Filter {
  if (filter.size > 0) throw new CommandError("NotImplemented", "filters");
  return { matches: () => true, arrayIndexFor: () => undefined, bounds: [] };
}
