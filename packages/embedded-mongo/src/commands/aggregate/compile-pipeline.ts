import { CommandError } from "../../bson/command-error.ts";
import { describe } from "../../bson/describe.ts";
import { intOrLong, wholeNumber } from "../../bson/numeric.ts";
import { type Doc, isDoc, isNumeric, type Value } from "../../bson/value.ts";
import { compileSort, type Sort } from "../../keys/compile-sort.ts";
import { compileFilter } from "../../match/compile-filter.ts";
import { compileProjection } from "../../project/compile-projection.ts";
import { group } from "./group.ts";
import { limitOf } from "./leading-stages.ts";
import type { Stage, Stream } from "./stage.ts";

/** At least this many documents are gathered before what a limit drops is dropped. */
const minBuffer = 1_000;

/** MongoDB's other stages; each is refused by its name. */
const refusedStages = new Set([
  "$addFields",
  "$bucket",
  "$bucketAuto",
  "$changeStreamSplitLargeEvent",
  "$collStats",
  "$currentOp",
  "$densify",
  "$documents",
  "$facet",
  "$fill",
  "$geoNear",
  "$graphLookup",
  "$indexStats",
  "$listLocalSessions",
  "$listSampledQueries",
  "$listSearchIndexes",
  "$listSessions",
  "$lookup",
  "$merge",
  "$out",
  "$planCacheStats",
  "$querySettings",
  "$queryStats",
  "$redact",
  "$replaceRoot",
  "$replaceWith",
  "$sample",
  "$search",
  "$searchMeta",
  "$set",
  "$setWindowFields",
  "$shardedDataDistribution",
  "$sortByCount",
  "$unionWith",
  "$unset",
  "$unwind",
  "$vectorSearch",
]);

/**
 * Compiles an aggregation. The whole pipeline is refused if anything in it is wrong or not
 * supported, before the first document is read.
 */
export function compilePipeline(stages: readonly Doc[]): Stage {
  const compiled = stages.map((stage, i) => compileStage(stage, stages.slice(i + 1)));
  return (input) => compiled.reduce((stream, stage) => stage(stream), input);
}

function compileStage(stage: Doc, following: readonly Doc[]): Stage {
  const [name, spec] = [...stage][0] ?? [];
  if (name === undefined || spec === undefined || stage.size !== 1) {
    throw new CommandError(
      40323,
      "A pipeline stage specification object must contain exactly one field.",
    );
  }
  switch (name) {
    case "$match":
      return match(spec);
    case "$sort":
      return sort(spec, limitOf(following) ?? Number.POSITIVE_INFINITY);
    case "$skip":
      return skip(stageCount(spec, name));
    case "$limit":
      return limit(stageCount(spec, name));
    case "$count":
      return count(spec);
    case "$project":
      return project(spec);
    case "$group":
      return group(spec);
    default:
      throw refusedStages.has(name)
        ? new CommandError("CommandNotSupported", `the aggregation stage ${name} is not supported`)
        : new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
  }
}

function match(spec: Value): Stage {
  if (!isDoc(spec)) {
    throw new CommandError(15959, "the match filter must be an expression in an object");
  }
  const filter = compileFilter(spec);
  return async function* matched(input) {
    for await (const doc of input) {
      if (filter.matches(doc)) {
        yield doc;
      }
    }
  };
}

function project(spec: Value): Stage {
  if (!isDoc(spec)) {
    throw new CommandError(15969, "$project specification must be an object");
  }
  if (spec.size === 0) {
    throw new CommandError(
      51272,
      "Invalid $project :: caused by :: projection specification must have at least one field",
    );
  }
  const transform = compileProjection(spec);
  return async function* projected(input) {
    for await (const doc of input) {
      yield transform(doc);
    }
  };
}

/** The number of a $limit or $skip. */
function stageCount(spec: Value, name: "$limit" | "$skip"): number {
  const number = isNumeric(spec) ? wholeNumber(spec) : undefined;
  if (number === undefined || number < 0n) {
    throw new CommandError(
      name === "$limit" ? 5107201 : 5107200,
      `invalid argument to ${name} stage: Expected a non-negative number in: ${name}: ${describe(spec)}`,
    );
  }
  if (name === "$limit" && number === 0n) {
    throw new CommandError(15958, "the limit must be positive");
  }
  return Number(number);
}

function limit(most: number): Stage {
  return async function* limited(input) {
    let seen = 0;
    for await (const doc of input) {
      yield doc;
      seen += 1;
      if (seen >= most) {
        return;
      }
    }
  };
}

function skip(first: number): Stage {
  return async function* skipped(input) {
    let seen = 0;
    for await (const doc of input) {
      if (seen >= first) {
        yield doc;
      }
      seen += 1;
    }
  };
}

function count(spec: Value): Stage {
  if (typeof spec !== "string" || spec === "") {
    throw new CommandError(40156, "the count field must be a non-empty string");
  }
  if (spec.startsWith("$")) {
    throw new CommandError(40158, "the count field cannot be a $-prefixed path");
  }
  if (spec.includes(".")) {
    throw new CommandError(40160, "the count field cannot contain '.'");
  }
  return async function* counted(input) {
    let total = 0;
    for await (const _doc of input) {
      total += 1;
    }
    if (total > 0) {
      yield new Map([[spec, intOrLong(total)]]);
    }
  };
}

/** Sorts; if a limit is known to follow, only so many documents are kept. */
function sort(spec: Value, most: number): Stage {
  if (!isDoc(spec)) {
    throw new CommandError(15973, "the $sort key specification must be an object");
  }
  if (spec.size === 0) {
    throw new CommandError(15976, "$sort stage must have at least one sort key");
  }
  const compiled = compileSort(spec);
  return (input) => sorted(input, compiled, most);
}

async function* sorted(input: Stream, by: Sort, most: number): Stream {
  const rows: { key: Value[]; doc: Doc }[] = [];
  const order = (a: { key: Value[] }, b: { key: Value[] }): number => by.compareKeys(a.key, b.key);
  const capacity = Math.max(minBuffer, most * 2);
  for await (const doc of input) {
    rows.push({ key: by.keyOf(doc), doc });
    if (rows.length >= capacity) {
      rows.sort(order);
      rows.length = Math.min(most, rows.length);
    }
  }
  rows.sort(order);
  for (const { doc } of rows.slice(0, most)) {
    yield doc;
  }
}
