import { CommandError } from "../bson/command-error.ts";
import { identical } from "../bson/document.ts";
import { type Doc, isDoc, type Value } from "../bson/value.ts";
import { compileSort, type Sort } from "../keys/compile-sort.ts";
import { compileFilter, type Filter } from "../match/compile-filter.ts";
import type { Collection } from "../storage/collection.ts";
import type { CollectionIndex } from "../storage/collection-index.ts";
import { impliesPartial } from "./bounds-of.ts";
import { type IndexAccess, indexAccess } from "./index-access.ts";

export interface Query {
  filter: Doc;
  sort?: Doc | undefined;
  hint?: Value | undefined;
  limited?: boolean;
}

export interface Plan {
  query: Doc;
  filter: Filter;
  /** Undefined: the collection is scanned in its own order. */
  index: CollectionIndex | undefined;
  access: IndexAccess | undefined;
  reverse: boolean;
  /** What is left to sort in memory. */
  blockingSort: Sort | undefined;
}

/** Decides how the matches of a query are found, and in which order they come. */
export function plan(collection: Collection, given: Query): Plan {
  const { filter: query, sort, hint, limited } = given;
  const filter = compileFilter(query);
  const natural = naturalOrder(sort) ?? (isDoc(hint) ? naturalOrder(hint) : undefined);
  const order =
    sort !== undefined && sort.size > 0 && naturalOrder(sort) === undefined
      ? compileSort(sort)
      : undefined;
  const scan: Plan = {
    query,
    filter,
    index: undefined,
    access: undefined,
    reverse: natural === -1,
    blockingSort: order,
  };
  if (natural !== undefined) {
    return scan;
  }

  const hinted =
    hint === undefined || !collection.exists ? undefined : hintedIndex(collection, hint);
  const candidates = hinted === undefined ? collection.indexes : [hinted];
  let best = scan;
  let bestScore = hinted === undefined ? 0 : -1;
  for (const index of candidates) {
    const access = indexAccess(index, query, filter);
    const bounded = access.points > 0 || access.ranged;
    if (hinted === undefined && !complete(index, query, filter, bounded)) {
      continue;
    }
    const direction = order === undefined ? undefined : sortedBy(index, access, order);
    const score =
      access.points * 10 +
      (access.ranged ? 4 : 0) +
      (direction === undefined ? 0 : limited === true ? 6 : 3) +
      (index.unique && access.points === index.paths.length ? 100 : 0);
    if (score <= bestScore) {
      continue;
    }
    bestScore = score;
    best = {
      ...scan,
      index,
      access,
      reverse: direction === -1,
      blockingSort: direction === undefined ? order : undefined,
    };
  }
  return best;
}

/** Whether the index holds every match of the query. */
function complete(index: CollectionIndex, query: Doc, filter: Filter, bounded: boolean): boolean {
  if (index.sparse) {
    const present = filter.bounds.some(
      ({ path, matchesMissing }) => index.paths.includes(path) && !matchesMissing,
    );
    if (!bounded || !present) {
      return false;
    }
  }
  const partial = index.state.spec.get("partialFilterExpression");
  return !isDoc(partial) || impliesPartial(partial, query, filter);
}

/**
 * The direction in which a scan of the index gives the order. Fields held to one value before the
 * sorted ones don't matter. Arrays and cut keys have another order in the index than in a sort.
 */
function sortedBy(index: CollectionIndex, access: IndexAccess, sort: Sort): 1 | -1 | undefined {
  if (index.state.longKeys) {
    return undefined;
  }
  const held = index.paths.slice(0, access.singles);
  const wanted = sort.fields.filter(({ path }) => {
    const at = held.indexOf(path);
    return at === -1 || index.state.multikey[at] === true;
  });
  for (let skipped = 0; skipped <= access.singles; skipped += 1) {
    const direction = runsAlong(index, skipped, skipped === access.singles ? wanted : sort.fields);
    if (direction !== undefined) {
      return direction;
    }
  }
  return undefined;
}

function runsAlong(
  index: CollectionIndex,
  skipped: number,
  fields: Sort["fields"],
): 1 | -1 | undefined {
  let direction: 1 | -1 | undefined;
  for (const [i, field] of fields.entries()) {
    const at = skipped + i;
    if (index.paths[at] !== field.path || index.state.multikey[at] === true) {
      return undefined;
    }
    const turn = index.directions[at] === field.direction ? 1 : -1;
    direction ??= turn;
    if (turn !== direction) {
      return undefined;
    }
  }
  return direction ?? 1;
}

function naturalOrder(order: Doc | undefined): 1 | -1 | undefined {
  const natural = order?.get("$natural");
  if (natural === undefined) {
    return undefined;
  }
  return Number(natural) < 0 ? -1 : 1;
}

function hintedIndex(collection: Collection, hint: Value): CollectionIndex | undefined {
  if (isDoc(hint) && hint.size === 0) {
    return undefined;
  }
  const found = collection.indexes.find((index) =>
    typeof hint === "string"
      ? index.name === hint
      : isDoc(hint) && samePattern(index.keyPattern, hint),
  );
  if (found === undefined) {
    throw new CommandError(
      "BadValue",
      "error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index",
    );
  }
  return found;
}

function samePattern(a: Doc, b: Doc): boolean {
  const numbers = (doc: Doc): Doc => new Map([...doc].map(([path, way]) => [path, Number(way)]));
  return identical(numbers(a), numbers(b));
}
