import { Int32 } from "bson";
import { compareValues } from "../../query/compare.ts";
import { CommandError } from "../../query/error.ts";
import { wholeNumber } from "../../query/numeric.ts";
import { type Doc, isDoc, isNumeric, type Value } from "../../query/value.ts";
import { compileExpression } from "../expression.ts";
import { compileAccumulators, resultDoc } from "./group.ts";
import type { StageCompiler, Stream } from "./stage.ts";

interface Row {
  readonly value: Value;
  readonly doc: Doc;
}

/** Groups by ranges of about the same number of documents; equal values stay together. */
export const bucketAuto: StageCompiler = (spec, scope) => {
  const { groupBy, count, output } = parse(spec);
  const evaluate = compileExpression(groupBy, scope);
  const accumulators = compileAccumulators(output, scope);
  return async function* bucketed(input) {
    const rows = await sortedRows(input, evaluate, (a, b) => compareValues(a, b, scope.order));
    const size = Math.max(1, Math.round(rows.length / count));
    for (let start = 0, made = 1; start < rows.length; made += 1) {
      const end = made === count ? rows.length : bucketEnd(rows, start + size);
      const min = rows[start]?.value ?? null;
      const max = (rows[end] ?? rows[end - 1])?.value ?? null;
      const states = accumulators.map(([, begin]) => begin());
      for (const { doc } of rows.slice(start, end)) {
        for (const state of states) {
          state.add(doc);
        }
      }
      const id = new Map([
        ["min", min],
        ["max", max],
      ]);
      yield resultDoc(id, accumulators, states);
      start = end;
    }
  };
};

async function sortedRows(
  input: Stream,
  evaluate: (doc: Doc) => Value | undefined,
  order: (a: Value, b: Value) => number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const doc of input) {
    rows.push({ value: evaluate(doc) ?? null, doc });
  }
  return rows.sort((a, b) => order(a.value, b.value));
}

function bucketEnd(rows: readonly Row[], least: number): number {
  let end = Math.min(least, rows.length);
  while (end < rows.length && compareValues(rows[end]?.value, rows[end - 1]?.value) === 0) {
    end += 1;
  }
  return end;
}

function parse(spec: Value): { groupBy: Value; count: number; output: Doc } {
  if (!isDoc(spec)) {
    throw new CommandError(40240, "The argument to $bucketAuto must be an object");
  }
  for (const name of spec.keys()) {
    if (name === "granularity") {
      throw new CommandError("NotImplemented", "granularity of $bucketAuto is not supported");
    }
    if (!["groupBy", "buckets", "output"].includes(name)) {
      throw new CommandError(40245, `Unrecognized option to $bucketAuto: ${name}`);
    }
  }
  const groupBy = spec.get("groupBy");
  const buckets = spec.get("buckets");
  const count = isNumeric(buckets) ? wholeNumber(buckets) : undefined;
  if (groupBy === undefined || count === undefined) {
    throw new CommandError(40246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified.");
  }
  if (count <= 0n) {
    throw new CommandError(40243, "The $bucketAuto 'buckets' field must be greater than 0");
  }
  const output = spec.get("output") ?? new Map([["count", new Map([["$sum", new Int32(1)]])]]);
  if (!isDoc(output)) {
    throw new CommandError(40244, "The $bucketAuto 'output' field must be an object");
  }
  return { groupBy, count: Number(count), output };
}
