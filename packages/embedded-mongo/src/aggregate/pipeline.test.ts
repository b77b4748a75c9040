import { Decimal128, Int32 } from "bson";
import { describe, expect, it } from "vitest";
import { describe as print } from "../query/describe.ts";
import { docOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import { compileFilter } from "../query/match.ts";
import type { Doc } from "../query/value.ts";
import { leadingMatch, leadingSort, runPipeline } from "./pipeline.ts";
import { collect } from "./stage/stage.ts";

type Plain = Parameters<typeof docOf>[0];

const NOW = new Date("2026-01-02T03:04:05.678Z");

async function run(
  stages: Plain[],
  docs: Plain[],
  others: Record<string, Plain[]> = {},
): Promise<string[]> {
  const lookup = (name: string, filter: Doc = new Map()) => {
    const compiled = compileFilter(filter);
    return (others[name] ?? []).map(docOf).filter((doc) => compiled.matches(doc));
  };
  const result = await collect(
    runPipeline(stages.map(docOf), docs.map(docOf), { lookup, now: NOW }),
  );
  return result.map(print);
}

async function expectPipeline(
  stages: Plain[],
  docs: Plain[],
  expected: Plain[],
  others?: Record<string, Plain[]>,
): Promise<void> {
  expect(await run(stages, docs, others)).toEqual(expected.map((doc) => print(docOf(doc))));
}

function refusal(stages: Plain[]): { code: number; message: string } {
  try {
    runPipeline(stages.map(docOf), [], { lookup: () => [], now: NOW });
  } catch (error) {
    if (error instanceof CommandError) {
      return { code: error.code, message: error.message };
    }
  }
  throw new Error("the pipeline was accepted");
}

const SALES: Plain[] = [
  { _id: 1, item: "a", n: 2, price: 1.5, tags: ["x", "y"] },
  { _id: 2, item: "b", n: 1, price: 4, tags: [] },
  { _id: 3, item: "a", n: 5, price: 2 },
];

describe("simple stages", () => {
  it("filter, sort, skip, limit and count", async () => {
    await expectPipeline([{ $match: { item: "a" } }, { $count: "n" }], SALES, [{ n: 2 }]);
    await expectPipeline([{ $match: { item: "z" } }, { $count: "n" }], SALES, []);
    await expectPipeline(
      [{ $sort: { n: -1 } }, { $skip: 1 }, { $limit: 1 }, { $project: { n: 1 } }],
      SALES,
      [{ _id: 1, n: 2 }],
    );
  });

  it("reshape documents", async () => {
    const doc = { _id: 1, a: { b: 1, c: [{ d: 1 }, 5] }, z: 1 };
    await expectPipeline(
      [{ $project: { _id: 0, "a.b": 1, x: "$a.c.d" } }],
      [doc],
      [{ a: { b: 1 }, x: [1] }],
    );
    await expectPipeline([{ $project: { a: 0 } }], [doc], [{ _id: 1, z: 1 }]);
    await expectPipeline(
      [{ $project: { z: { $cond: [{ $gt: ["$z", 5] }, 1, "$$REMOVE"] } } }],
      [doc],
      [{ _id: 1 }],
    );
    await expectPipeline(
      [{ $addFields: { "a.b": 2, "a.c.e": 3, y: { $literal: "$x" } } }],
      [doc],
      [{ _id: 1, a: { b: 2, c: [{ d: 1, e: 3 }, { e: 3 }] }, z: 1, y: "$x" }],
    );
    await expectPipeline([{ $unset: ["a.c", "z"] }], [doc], [{ _id: 1, a: { b: 1 } }]);
    await expectPipeline([{ $replaceRoot: { newRoot: "$a" } }, { $unset: "c" }], [doc], [{ b: 1 }]);
    await expectPipeline(
      [{ $replaceWith: { $mergeObjects: [{ k: 0 }, { b: "$a.b" }] } }],
      [doc],
      [{ k: 0, b: 1 }],
    );
  });

  it("$unwind drops or keeps what has no elements", async () => {
    await expectPipeline([{ $unwind: "$tags" }, { $project: { tags: 1 } }], SALES, [
      { _id: 1, tags: "x" },
      { _id: 1, tags: "y" },
    ]);
    const keep = {
      $unwind: { path: "$tags", includeArrayIndex: "i", preserveNullAndEmptyArrays: true },
    };
    await expectPipeline([keep, { $project: { tags: 1, i: 1 } }], SALES, [
      { _id: 1, tags: "x", i: 0n },
      { _id: 1, tags: "y", i: 1n },
      { _id: 2, i: null },
      { _id: 3, i: null },
    ]);
  });

  it("$sample gives so many different documents", async () => {
    const sampled = await run([{ $sample: { size: 2 } }], SALES);
    expect(new Set(sampled).size).toBe(2);
  });
});

describe("$group", () => {
  it("sums and averages in the types of MongoDB", async () => {
    const docs = [
      { i: 1, l: 2n, d: 0.5, m: Decimal128.fromString("1.1") },
      { i: 2, l: 3, d: 1, m: 1 },
    ];
    const [result] = await run(
      [
        {
          $group: {
            _id: null,
            i: { $sum: "$i" },
            l: { $sum: "$l" },
            d: { $sum: "$d" },
            m: { $sum: "$m" },
            c: { $sum: 1 },
            avg: { $avg: "$i" },
            none: { $avg: "$x" },
          },
        },
      ],
      docs,
    );
    expect(result).toBe("{ _id: null, i: 3, l: 5, d: 1.5, m: 2.1, c: 2, avg: 1.5, none: null }");
    const [typed] = await collect(
      runPipeline(
        [docOf({ $group: { _id: null, i: { $sum: "$i" }, l: { $sum: "$l" }, o: { $sum: "$o" } } })],
        [
          { i: 1, l: 1n, o: 2147483647 },
          { i: 1, l: 1, o: 1 },
        ].map(docOf),
        { lookup: () => [], now: NOW },
      ),
    );
    expect(typed?.get("i")).toEqual(new Int32(2));
    expect(typed?.get("l")).toBe(2n);
    expect(typed?.get("o")).toBe(2147483648n);
  });

  it("groups equal numbers of different types, and null with missing", async () => {
    await expectPipeline(
      [{ $group: { _id: "$a", n: { $sum: 1 } } }],
      [{ a: 1 }, { a: 1n }, { a: 1.0 }, {}, { a: null }],
      [
        { _id: 1, n: 3 },
        { _id: null, n: 2 },
      ],
    );
  });

  it("has the other accumulators", async () => {
    const spec = {
      _id: "$item",
      min: { $min: "$n" },
      max: { $max: "$n" },
      first: { $first: "$_id" },
      last: { $last: "$_id" },
      all: { $push: "$n" },
      set: { $addToSet: "$item" },
      count: { $count: {} },
      top: { $top: { sortBy: { n: -1 }, output: "$_id" } },
      two: { $maxN: { input: "$n", n: 2 } },
    };
    await expectPipeline([{ $group: spec }, { $match: { _id: "a" } }], SALES, [
      {
        _id: "a",
        min: 2,
        max: 5,
        first: 1,
        last: 3,
        all: [2, 5],
        set: ["a"],
        count: 2,
        top: 3,
        two: [5, 2],
      },
    ]);
  });

  it("$bucketAuto makes buckets of about the same size", async () => {
    await expectPipeline(
      [{ $bucketAuto: { groupBy: "$x", buckets: 2 } }],
      [{ x: 5 }, { x: 1 }, { x: 2 }, { x: 2 }],
      [
        { _id: { min: 1, max: 5 }, count: 3 },
        { _id: { min: 5, max: 5 }, count: 1 },
      ],
    );
  });

  it("$sortByCount, $bucket and $facet build on it", async () => {
    await expectPipeline([{ $sortByCount: "$item" }], SALES, [
      { _id: "a", count: 2 },
      { _id: "b", count: 1 },
    ]);
    await expectPipeline(
      [{ $bucket: { groupBy: "$n", boundaries: [0, 2, 4], default: "more" } }],
      SALES,
      [
        { _id: 0, count: 1 },
        { _id: 2, count: 1 },
        { _id: "more", count: 1 },
      ],
    );
    await expectPipeline(
      [{ $facet: { n: [{ $count: "n" }], ids: [{ $match: { n: 1 } }, { $project: { _id: 1 } }] } }],
      SALES,
      [{ n: [{ n: 3 }], ids: [{ _id: 2 }] }],
    );
  });
});

describe("$lookup", () => {
  const others = {
    items: [{ _id: "a", s: 1 }, { _id: "b", s: 2 }, { _id: "c", s: null }, { _id: "d" }],
  };

  it("joins by fields, elements of arrays and null", async () => {
    const join = {
      $lookup: { from: "items", localField: "ref", foreignField: "_id", as: "found" },
    };
    await expectPipeline(
      [join],
      [{ ref: "b" }, { ref: ["a", "b"] }, { ref: "z" }],
      [
        { ref: "b", found: [{ _id: "b", s: 2 }] },
        {
          ref: ["a", "b"],
          found: [
            { _id: "a", s: 1 },
            { _id: "b", s: 2 },
          ],
        },
        { ref: "z", found: [] },
      ],
      others,
    );
    const byNull = {
      $lookup: { from: "items", localField: "none", foreignField: "s", as: "found" },
    };
    await expectPipeline(
      [byNull],
      [{ x: 1 }],
      [{ x: 1, found: [{ _id: "c", s: null }, { _id: "d" }] }],
      others,
    );
  });

  it("joins by fields and a pipeline together", async () => {
    const join = {
      $lookup: {
        from: "items",
        localField: "ref",
        foreignField: "_id",
        let: { least: "$least" },
        pipeline: [{ $match: { $expr: { $gte: ["$s", "$$least"] } } }, { $project: { _id: 1 } }],
        as: "found",
      },
    };
    await expectPipeline(
      [join],
      [
        { ref: ["a", "b"], least: 2 },
        { ref: "a", least: 2 },
      ],
      [
        { ref: ["a", "b"], least: 2, found: [{ _id: "b" }] },
        { ref: "a", least: 2, found: [] },
      ],
      others,
    );
  });

  it("$unionWith appends and $graphLookup follows", async () => {
    await expectPipeline(
      [{ $unionWith: { coll: "items", pipeline: [{ $match: { s: 1 } }] } }],
      [{ x: 1 }],
      [{ x: 1 }, { _id: "a", s: 1 }],
      others,
    );
    const people = {
      people: [
        { _id: 1, boss: 2 },
        { _id: 2, boss: 3 },
        { _id: 3, boss: 1 },
      ],
    };
    const graph = {
      $graphLookup: {
        from: "people",
        startWith: "$boss",
        connectFromField: "boss",
        connectToField: "_id",
        as: "up",
        depthField: "d",
        maxDepth: 1,
      },
    };
    await expectPipeline(
      [graph],
      [{ boss: 2 }],
      [
        {
          boss: 2,
          up: [
            { _id: 2, boss: 3, d: 0n },
            { _id: 3, boss: 1, d: 1n },
          ],
        },
      ],
      people,
    );
  });
});

describe("refusals", () => {
  it("name the stage, expression or accumulator", () => {
    expect(refusal([{ $out: "x" }])).toEqual({
      code: 115,
      message: "the aggregation stage $out is not supported",
    });
    expect(refusal([{ $nope: 1 }])).toEqual({
      code: 40324,
      message: "Unrecognized pipeline stage name: '$nope'",
    });
    expect(refusal([{ $project: { a: { $nope: 1 } } }])).toEqual({
      code: 168,
      message: "Unrecognized expression '$nope'",
    });
    expect(refusal([{ $group: { _id: 1, a: { $nope: 1 } } }]).message).toBe(
      "unknown group operator '$nope'",
    );
    expect(refusal([{ $match: 1, $limit: 1 }]).code).toBe(40323);
    expect(refusal([{ $project: { a: "$$nope" } }])).toEqual({
      code: 17276,
      message: "Use of undefined variable: nope",
    });
    expect(refusal([{ $limit: 0 }]).code).toBe(15958);
    expect(refusal([{ $group: {} }]).code).toBe(15955);
    expect(refusal([{ $facet: { a: [{ $facet: {} }] } }]).code).toBe(40600);
    expect(refusal([{ $lookup: { from: "a", as: "b" } }]).code).toBe(9);
  });
});

describe("what an index can serve", () => {
  it("is the leading $match and $sort, with the number of documents needed", () => {
    const stages = [
      { $match: { a: 1 } },
      { $match: { b: 1 } },
      { $sort: { c: 1 } },
      { $skip: 5 },
      { $limit: 10 },
    ].map(docOf);
    const { filter, rest } = leadingMatch(stages);
    expect(print(filter)).toBe("{ $and: [ { a: 1 }, { b: 1 } ] }");
    const sorted = leadingSort(rest);
    expect(sorted.limit).toBe(15);
    expect(sorted.sort && print(sorted.sort)).toBe("{ c: 1 }");
    expect(sorted.rest.map(print)).toEqual(["{ $skip: 5 }", "{ $limit: 10 }"]);
  });
});
