import { BSONRegExp, Decimal128, Int32, ObjectId, Timestamp } from "bson";
import { describe, expect, it } from "vitest";
import { describe as print } from "../query/describe.ts";
import { docOf, valueOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import { type Doc, typeName } from "../query/value.ts";
import { compileExpression } from "./expression.ts";

type Plain = Parameters<typeof docOf>[0];
type PlainValue = Exclude<Plain[string], undefined>;

const NOW = new Date("2026-01-02T03:04:05.678Z");

function evaluate(spec: PlainValue, doc: Plain = {}) {
  return compileExpression(valueOf(spec), { now: NOW })(docOf(doc));
}

/** Value and type: `3 int`. */
function typed(spec: PlainValue, doc: Plain = {}): string {
  const value = evaluate(spec, doc);
  return value === undefined ? "missing" : `${print(value)} ${typeName(value)}`;
}

function expectAll(cases: readonly (readonly [PlainValue, PlainValue])[], doc: Plain = {}): void {
  for (const [spec, expected] of cases) {
    expect(print(evaluate(spec, doc)), print(valueOf(spec))).toBe(print(valueOf(expected)));
  }
}

function code(spec: PlainValue, doc: Plain = {}): number | undefined {
  try {
    evaluate(spec, doc);
  } catch (error) {
    if (error instanceof CommandError) {
      return error.code;
    }
    throw error;
  }
  return undefined;
}

/** A document with a field called `then`, which an object literal should not have. */
const fields = (...entries: [string, PlainValue][]): Doc =>
  new Map(entries.map(([name, value]) => [name, valueOf(value)]));

describe("arithmetic", () => {
  it("keeps the types of numbers", () => {
    const cases: [PlainValue, string][] = [
      [{ $add: [1, 2] }, "3 int"],
      [{ $add: [2147483647, 1] }, "2147483648 long"],
      [{ $add: [1, 2n] }, "3 long"],
      [{ $add: [9223372036854775807n, 1] }, "9223372036854775808.0 double"],
      [{ $add: [1, 0.5] }, "1.5 double"],
      [{ $add: [Decimal128.fromString("0.1"), Decimal128.fromString("0.2")] }, "0.3 decimal"],
      [{ $subtract: [5, 7n] }, "-2 long"],
      [{ $multiply: [65536, 65536] }, "4294967296 long"],
      [{ $divide: [6, 3] }, "2.0 double"],
      [
        { $divide: [Decimal128.fromString("1"), 3] },
        "0.3333333333333333333333333333333333 decimal",
      ],
      [{ $mod: [7, 4] }, "3 int"],
      [{ $mod: [-7.5, 2] }, "-1.5 double"],
      [{ $abs: -3 }, "3 int"],
      [{ $ceil: 1.2 }, "2.0 double"],
      [{ $floor: 5 }, "5 int"],
      [{ $round: [2.5] }, "2.0 double"],
      [{ $round: [1234.567, 2] }, "1234.57 double"],
      [{ $round: [1250, -2] }, "1200 int"],
      [{ $trunc: [-1.7] }, "-1.0 double"],
      [{ $pow: [2, 10] }, "1024 int"],
      [{ $pow: [2, 40] }, "1099511627776 long"],
      [{ $pow: [2, 0.5] }, "1.4142135623730951 double"],
      [{ $sqrt: 16 }, "4.0 double"],
      [{ $sum: [1, 2n, "x"] }, "3 long"],
      [{ $avg: [1, 2] }, "1.5 double"],
      [{ $max: [1, 3, 2] }, "3 int"],
      [{ $bitAnd: [12, 10] }, "8 int"],
    ];
    for (const [spec, expected] of cases) {
      expect(typed(spec), print(valueOf(spec))).toBe(expected);
    }
  });

  it("works on dates, and gives null for null", () => {
    const doc = { d: new Date(1000), e: new Date(400) };
    expect(evaluate({ $add: ["$d", 500] }, doc)).toEqual(new Date(1500));
    expect(typed({ $subtract: ["$d", "$e"] }, doc)).toBe("600 long");
    expect(evaluate({ $subtract: ["$d", 500] }, doc)).toEqual(new Date(500));
    expect(typed({ $add: [1, null] })).toBe("null null");
    expect(typed({ $multiply: [1, "$missing"] })).toBe("null null");
  });

  it("refuses what it can't compute", () => {
    expect(code({ $add: [1, "x"] })).toBe(14);
    expect(code({ $divide: [1, 0] })).toBe(2);
    expect(code({ $subtract: [1] })).toBe(16020);
    expect(code({ $sqrt: -1 })).toBe(28714);
    expect(code({ $sqrt: Decimal128.fromString("2") })).toBe(238);
  });
});

describe("logic", () => {
  it("compares across types, with missing before null", () => {
    expectAll([
      [{ $eq: [1, 1n] }, true],
      [{ $eq: ["$none", null] }, false],
      [{ $lt: ["$none", null] }, true],
      [{ $gt: ["a", 5] }, true],
      [{ $cmp: [2, 1] }, 1],
      [{ $and: [1, "x", []] }, true],
      [{ $or: [0, null] }, false],
      [{ $not: [0] }, true],
    ]);
  });

  it("chooses", () => {
    expectAll([
      [{ $cond: fields(["if", true], ["then", 1], ["else", 2]) }, 1],
      [{ $cond: [0, 1, 2] }, 2],
      [{ $ifNull: ["$none", null, 3] }, 3],
      [{ $switch: { branches: [fields(["case", false], ["then", 1])], default: 9 } }, 9],
      [{ $let: { vars: { x: 2 }, in: { $add: ["$$x", 1] } } }, 3],
      [{ $literal: "$a" }, "$a"],
    ]);
    expect(code({ $switch: { branches: [fields(["case", false], ["then", 1])] } })).toBe(40066);
  });
});

describe("paths and variables", () => {
  it("map over arrays of documents", () => {
    const doc = { a: [{ b: 1 }, { b: 2 }, 5, {}], c: { d: 3 } };
    expectAll(
      [
        ["$a.b", [1, 2]],
        ["$c.d", 3],
        ["$$ROOT.c.d", 3],
        ["$$CURRENT.c", { d: 3 }],
      ],
      doc,
    );
    expect(evaluate("$x.y", doc)).toBeUndefined();
    expect(evaluate("$$NOW")).toEqual(NOW);
    expect(evaluate("$$REMOVE")).toBeUndefined();
  });
});

describe("arrays and sets", () => {
  it("pick, cut and combine", () => {
    const doc = { a: [3, 1, 2] };
    expectAll(
      [
        [{ $arrayElemAt: ["$a", -1] }, 2],
        [{ $first: "$a" }, 3],
        [{ $size: "$a" }, 3],
        [{ $slice: ["$a", 1, 1] }, [1]],
        [{ $slice: ["$a", -2] }, [1, 2]],
        [{ $concatArrays: ["$a", [9]] }, [3, 1, 2, 9]],
        [{ $in: [2n, "$a"] }, true],
        [{ $indexOfArray: ["$a", 2] }, 2],
        [{ $range: [0, 6, 2] }, [0, 2, 4]],
        [{ $reverseArray: "$a" }, [2, 1, 3]],
        [{ $map: { input: "$a", as: "x", in: { $multiply: ["$$x", 2] } } }, [6, 2, 4]],
        [{ $filter: { input: "$a", cond: { $gt: ["$$this", 1] } } }, [3, 2]],
        [{ $reduce: { input: "$a", initialValue: 0, in: { $add: ["$$value", "$$this"] } } }, 6],
        [{ $sortArray: { input: "$a", sortBy: 1 } }, [1, 2, 3]],
        [{ $sortArray: { input: [{ x: 2 }, { x: 1 }], sortBy: { x: 1 } } }, [{ x: 1 }, { x: 2 }]],
        [{ $zip: { inputs: ["$a", ["x"]] } }, [[3, "x"]]],
        [{ $setUnion: [[1, 1n], [2]] }, [1, 2]],
        [{ $setIntersection: ["$a", [2, 3]] }, [3, 2]],
        [{ $setDifference: ["$a", [3]] }, [1, 2]],
        [{ $setEquals: ["$a", [1, 2, 3]] }, true],
        [{ $setIsSubset: [[1], "$a"] }, true],
        [{ $anyElementTrue: [[0, 1]] }, true],
        [{ $arrayToObject: [[["k", 1]]] }, { k: 1 }],
        [{ $objectToArray: { k: 1 } }, [{ k: "k", v: 1 }]],
        [{ $mergeObjects: [{ a: 1 }, null, { b: 2 }] }, { a: 1, b: 2 }],
        [{ $getField: "a" }, [3, 1, 2]],
        [{ $setField: { field: "b", input: { a: 1 }, value: 2 } }, { a: 1, b: 2 }],
      ],
      doc,
    );
    expect(evaluate({ $arrayElemAt: ["$a", 9] }, doc)).toBeUndefined();
    expect(code({ $size: "$none" })).toBe(17124);
  });
});

describe("strings", () => {
  it("build, cut and search", () => {
    expectAll([
      [{ $concat: ["a", "b"] }, "ab"],
      [{ $concat: ["a", null] }, null],
      [{ $toUpper: "aé" }, "Aé"],
      [{ $toLower: null }, ""],
      [{ $substrCP: ["h\u{1f600}llo", 1, 2] }, "\u{1f600}l"],
      [{ $substrBytes: ["hello", 1, -1] }, "ello"],
      [{ $strLenCP: "\u{1f600}" }, 1],
      [{ $strLenBytes: "é" }, 2],
      [{ $indexOfCP: ["héllo", "l"] }, 2],
      [{ $indexOfBytes: ["héllo", "l"] }, 3],
      [{ $split: ["a,b", ","] }, ["a", "b"]],
      [{ $trim: { input: "  x " } }, "x"],
      [{ $ltrim: { input: "xxy", chars: "x" } }, "y"],
      [{ $replaceAll: { input: "a.a", find: "a", replacement: { $literal: "$&" } } }, "$&.$&"],
      [{ $regexMatch: { input: "Hello", regex: "^h", options: "i" } }, true],
      [
        { $regexFind: { input: "xab", regex: new BSONRegExp("(a)(c)?") } },
        { match: "a", idx: 1, captures: ["a", null] },
      ],
      [{ $strcasecmp: ["A", "b"] }, -1],
    ]);
    expect(code({ $concat: ["a", 1] })).toBe(16702);
  });
});

describe("conversion", () => {
  it("goes by type and refuses what is lost", () => {
    expect(typed({ $toInt: "12" })).toBe("12 int");
    expect(typed({ $toLong: 1.9 })).toBe("1 long");
    expect(typed({ $toDouble: "1.5" })).toBe("1.5 double");
    expect(typed({ $toDecimal: 0.1 })).toBe("0.100000000000000 decimal");
    expect(typed({ $toString: 1.5 })).toBe('"1.5" string');
    expect(typed({ $toBool: "false" })).toBe("true bool");
    expect(evaluate({ $toDate: "2020-01-02T03:04:05Z" })).toEqual(new Date("2020-01-02T03:04:05Z"));
    expect(evaluate({ $toObjectId: "0123456789abcdef01234567" })).toEqual(
      new ObjectId("0123456789abcdef01234567"),
    );
    expect(code({ $toInt: "1.5" })).toBe(241);
    expect(code({ $toInt: 3e9 })).toBe(241);
    expectAll([
      [{ $convert: { input: "x", to: "int", onError: -1 } }, -1],
      [{ $convert: { input: null, to: "int", onNull: 0 } }, 0],
      [{ $type: "$none" }, "missing"],
      [{ $type: 1n }, "long"],
      [{ $isNumber: 1.5 }, true],
    ]);
  });
});

describe("dates", () => {
  const doc = { d: new Date("2024-03-10T09:30:15.123Z"), t: new Timestamp({ t: 5, i: 7 }) };

  it("are taken apart, in time zones", () => {
    expectAll(
      [
        [{ $year: "$d" }, 2024],
        [{ $dayOfWeek: "$d" }, 1],
        [{ $dayOfYear: "$d" }, 70],
        [{ $isoWeek: "$d" }, 10],
        [{ $hour: { date: "$d", timezone: "America/New_York" } }, 5],
        [{ $hour: { date: "$d", timezone: "+05:30" } }, 15],
        [{ $dateToString: { date: "$d" } }, "2024-03-10T09:30:15.123Z"],
        [
          { $dateToString: { date: "$d", format: "%Y/%m/%d %H:%M %z", timezone: "Europe/Berlin" } },
          "2024/03/10 10:30 +0100",
        ],
        [{ $tsSecond: "$t" }, 5n],
      ],
      doc,
    );
    expect(typed({ $year: "$d" }, doc)).toBe("2024 int");
    expect(code({ $year: { date: "$d", timezone: "Nowhere/Land" } }, doc)).toBe(40485);
  });

  it("are built and moved", () => {
    const at = (text: string) => new Date(text);
    expect(evaluate({ $dateFromString: { dateString: "10/03/2024", format: "%d/%m/%Y" } })).toEqual(
      at("2024-03-10T00:00:00Z"),
    );
    expect(
      evaluate({
        $dateFromParts: { year: 2024, month: 3, day: 10, hour: 5, timezone: "America/New_York" },
      }),
    ).toEqual(at("2024-03-10T09:00:00Z"));
    expect(
      evaluate({ $dateAdd: { startDate: at("2024-01-31T00:00:00Z"), unit: "month", amount: 1 } }),
    ).toEqual(at("2024-02-29T00:00:00Z"));
    expect(evaluate({ $dateSubtract: { startDate: "$d", unit: "hour", amount: 9 } }, doc)).toEqual(
      at("2024-03-10T00:30:15.123Z"),
    );
    expect(
      typed({
        $dateDiff: {
          startDate: at("2023-12-31T23:00:00Z"),
          endDate: at("2024-01-01T01:00:00Z"),
          unit: "year",
        },
      }),
    ).toBe("1 long");
    expect(
      evaluate({ $dateTrunc: { date: "$d", unit: "week", startOfWeek: "monday" } }, doc),
    ).toEqual(at("2024-03-04T00:00:00Z"));
    expect(evaluate({ $dateTrunc: { date: "$d", unit: "hour", binSize: 2 } }, doc)).toEqual(
      at("2024-03-10T08:00:00Z"),
    );
    expect(
      evaluate({ $dateTrunc: { date: "$d", unit: "month", timezone: "America/New_York" } }, doc),
    ).toEqual(at("2024-03-01T05:00:00Z"));
  });
});

describe("refusals", () => {
  it("come when the expression is compiled", () => {
    const refuse = (spec: PlainValue) => () => compileExpression(valueOf(spec), {});
    expect(refuse({ $function: {} })).toThrow("Unrecognized expression '$function'");
    expect(refuse({ $cond: [false, { $nope: 1 }, new Int32(1)] })).toThrow(
      "Unrecognized expression '$nope'",
    );
    expect(refuse({ $add: 1, $subtract: 1 })).toThrow("must have exactly one field");
    expect(refuse({ $map: { input: [], in: 1, foo: 1 } })).toThrow("foo");
  });
});
