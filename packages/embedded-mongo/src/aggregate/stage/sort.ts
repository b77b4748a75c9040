import { CommandError } from "../../query/error.ts";
import { compileSort, type Sort } from "../../query/sort.ts";
import { type Doc, isDoc, type Value } from "../../query/value.ts";
import type { Stage, StageCompiler, StageScope, Stream } from "./stage.ts";

/** At least this many documents are gathered before what a limit drops is dropped. */
const MIN_BUFFER = 1000;

export const sort: StageCompiler = (spec, scope) => sortWithLimit(spec, scope, Infinity);

/** Sorts; if a limit is known to follow, only so many documents are kept. */
export function sortWithLimit(spec: Value, scope: StageScope, limit: number): Stage {
  if (!isDoc(spec)) {
    throw new CommandError(15973, "the $sort key specification must be an object");
  }
  if (spec.size === 0) {
    throw new CommandError(15976, "$sort stage must have at least one sort key");
  }
  const compiled = compileSort(spec, scope.order ? { order: scope.order } : {});
  return (input) => sorted(input, compiled, limit);
}

async function* sorted(input: Stream, by: Sort, limit: number): Stream {
  const rows: { key: Value[]; doc: Doc }[] = [];
  const order = (a: { key: Value[] }, b: { key: Value[] }): number => by.compareKeys(a.key, b.key);
  const capacity = Math.max(MIN_BUFFER, limit * 2);
  for await (const doc of input) {
    rows.push({ key: by.keyOf(doc), doc });
    if (rows.length >= capacity) {
      rows.sort(order);
      rows.length = Math.min(limit, rows.length);
    }
  }
  rows.sort(order);
  for (let i = 0; i < rows.length && i < limit; i += 1) {
    const row = rows[i];
    if (row) {
      yield row.doc;
    }
  }
}
