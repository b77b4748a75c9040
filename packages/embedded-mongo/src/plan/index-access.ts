import type { Doc } from "../bson/value.ts";
import { encodeBound } from "../keys/index-key.ts";
import type { Filter } from "../match/compile-filter.ts";
import { type CollectionIndex, maxKeyBytes } from "../storage/collection-index.ts";
import { after, idPrefix, type Range } from "../storage/record-key.ts";
import { boundsOf, isPlainEquality } from "./bounds-of.ts";

/** More ranges than this are not worth their seeks: the field that multiplies them is left out. */
const maxRanges = 2_000;

export interface IndexAccess {
  /** In the order of the index, without overlaps. */
  ranges: Range[];
  /** How many fields of the index, from its first, are held to single values. */
  points: number;
  /** How many of those are held to one value each, so that the order of the next field shows. */
  singles: number;
  /** Whether the field after the points is held to a range. */
  ranged: boolean;
  /** Whether every entry in the ranges belongs to a match. */
  exact: boolean;
}

type Bytes = { from: Uint8Array; to: Uint8Array };

/** The parts of an index that can hold matches, by the bounds that the filter gives. */
export function indexAccess(index: CollectionIndex, query: Doc, filter: Filter): IndexAccess {
  const prefix = idPrefix(index.state.id);
  let ranges: Bytes[] = [{ from: prefix, to: after(prefix) }];
  const access: IndexAccess = { ranges: [], points: 0, singles: 0, ranged: false, exact: false };
  let starts: Uint8Array[] = [prefix];
  let arrayMet = false;
  let used = 0;

  for (const [i, path] of index.paths.entries()) {
    const multikey = index.state.multikey[i] === true;
    // Two bounds on paths through one array may be met by two different elements of it.
    if (multikey && arrayMet) {
      break;
    }
    arrayMet ||= multikey;
    const bounds = boundsOf(filter, path, multikey);
    if (bounds === undefined || bounds.intervals.length * starts.length > maxRanges) {
      break;
    }
    used += multikey ? 1 : filter.bounds.filter((bound) => bound.path === path).length;

    const direction = index.directions[i] ?? 1;
    const parts = bounds.intervals.map((interval) => encodeBound(interval, direction));
    parts.sort((a, b) => Buffer.compare(a.from, b.from));
    ranges = starts.flatMap((start) =>
      parts.map(({ from, to }) => ({ from: join(start, from), to: join(start, to) })),
    );
    if (!bounds.points) {
      access.ranged = true;
      break;
    }
    access.points += 1;
    if (parts.length <= 1 && access.singles === i) {
      access.singles += 1;
    }
    // A point's range begins with its encoded value: what follows are the next fields.
    starts = ranges.map(({ from }) => from);
  }
  access.ranges = ranges.map(({ from, to }) => cut(from, to));
  access.exact =
    isPlainEquality(query) &&
    used === query.size &&
    used === filter.bounds.length &&
    !index.state.longKeys;
  return access;
}

/** An index key past the limit is stored cut: the range must be as wide as the cut ends. */
function cut(from: Uint8Array, to: Uint8Array): Range {
  const limit = maxKeyBytes + 4;
  return {
    start: from.length > limit ? from.subarray(0, limit) : from,
    end: to.length > limit ? after(to.subarray(0, limit)) : to,
  };
}

function join(start: Uint8Array, rest: Uint8Array): Uint8Array {
  return Buffer.concat([start, rest]);
}
