import { Int32 } from "bson";
import { compareValues, typeRank } from "../../query/compare.ts";
import { CommandError } from "../../query/error.ts";
import { type Doc, isDoc, type Value } from "../../query/value.ts";
import { compileExpression } from "../expression.ts";
import { compileAccumulators, group, resultDoc } from "./group.ts";
import type { GroupAccumulator } from "./group-accumulators.ts";
import { sort } from "./sort.ts";
import type { StageCompiler, StageScope } from "./stage.ts";

const COUNT: Doc = new Map([["$sum", new Int32(1)]]);

export const sortByCount: StageCompiler = (spec, scope) => {
  const isExpression = typeof spec === "string" ? spec.startsWith("$") : isDoc(spec);
  if (!isExpression) {
    throw new CommandError(
      40149,
      "the sortByCount field must be specified as a $-prefixed path or an expression in an object",
    );
  }
  const grouped = group(
    new Map<string, Value>([
      ["_id", spec],
      ["count", COUNT],
    ]),
    scope,
  );
  const sorted = sort(new Map([["count", new Int32(-1)]]), scope);
  return (input) => sorted(grouped(input));
};

interface Bucket {
  readonly id: Value;
  readonly states: readonly GroupAccumulator[];
}

/** Groups by the ranges between ascending boundaries. */
export const bucket: StageCompiler = (spec, scope) => {
  const { boundaries, fallback, groupBy, output } = parse(spec, scope);
  const evaluate = compileExpression(groupBy, scope);
  const accumulators = compileAccumulators(output, scope);
  const start = (id: Value): Bucket => ({ id, states: accumulators.map(([, begin]) => begin()) });
  return async function* bucketed(input) {
    const buckets = new Map<number, Bucket>();
    for await (const doc of input) {
      const index = position(evaluate(doc) ?? null, boundaries, scope);
      const id = index < 0 ? fallback : boundaries[index];
      if (id === undefined) {
        throw new CommandError(
          40066,
          "$bucket could not find a matching branch for an input, and no default was specified.",
        );
      }
      const found = buckets.get(index) ?? start(id);
      buckets.set(index, found);
      for (const state of found.states) {
        state.add(doc);
      }
    }
    const inOrder = [...buckets.values()].sort((a, b) => compareValues(a.id, b.id, scope.order));
    for (const { id, states } of inOrder) {
      yield resultDoc(id, accumulators, states);
    }
  };
};

function position(value: Value, boundaries: readonly Value[], { order }: StageScope): number {
  for (let i = 0; i + 1 < boundaries.length; i += 1) {
    const isWithin =
      compareValues(value, boundaries[i], order) >= 0 &&
      compareValues(value, boundaries[i + 1], order) < 0;
    if (isWithin) {
      return i;
    }
  }
  return -1;
}

function parse(spec: Value, scope: StageScope) {
  if (!isDoc(spec)) {
    throw new CommandError(40201, "Argument to $bucket stage must be an object");
  }
  for (const name of spec.keys()) {
    if (!["groupBy", "boundaries", "default", "output"].includes(name)) {
      throw new CommandError(40197, `Unrecognized option to $bucket: ${name}`);
    }
  }
  const groupBy = spec.get("groupBy");
  const given = spec.get("boundaries");
  if (groupBy === undefined || !Array.isArray(given)) {
    throw new CommandError(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  }
  const constant = (value: Value): Value => compileExpression(value, scope)(new Map()) ?? null;
  const boundaries = given.map(constant);
  if (boundaries.length < 2) {
    throw new CommandError(
      40192,
      `The $bucket 'boundaries' field must have at least 2 values, but found ${boundaries.length} value(s).`,
    );
  }
  for (let i = 1; i < boundaries.length; i += 1) {
    if (typeRank(boundaries[i - 1]) !== typeRank(boundaries[i])) {
      throw new CommandError(
        40193,
        "All values in the 'boundaries' option to $bucket must have the same type.",
      );
    }
    if (compareValues(boundaries[i - 1], boundaries[i]) >= 0) {
      throw new CommandError(
        40194,
        "The 'boundaries' option to $bucket must be sorted in ascending order.",
      );
    }
  }
  const fallback = spec.get("default");
  const output = spec.get("output") ?? new Map([["count", COUNT]]);
  if (!isDoc(output)) {
    throw new CommandError(40196, "The $bucket 'output' field must be an object");
  }
  return {
    groupBy,
    boundaries,
    output,
    fallback: fallback === undefined ? undefined : constant(fallback),
  };
}
