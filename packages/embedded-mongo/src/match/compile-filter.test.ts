import { BSONRegExp, Decimal128, Int32, MaxKey, MinKey, ObjectId } from "bson";
import { describe, expect, it } from "vitest";
import { CommandError } from "../bson/command-error.ts";
import { describe as print } from "../bson/describe.ts";
import { docOf } from "../bson/document.ts";
import { BsonUndefined } from "../bson/value.ts";
import { compileFilter } from "./compile-filter.ts";

type Plain = Parameters<typeof docOf>[0];

const matches = (filter: Plain, doc: Plain): boolean =>
  compileFilter(docOf(filter)).matches(docOf(doc));

function expectMatches(filter: Plain, yes: Plain[], no: Plain[]): void {
  for (const doc of yes) {
    expect(matches(filter, doc), `matches ${print(docOf(doc))}`).toBe(true);
  }
  for (const doc of no) {
    expect(matches(filter, doc), `misses ${print(docOf(doc))}`).toBe(false);
  }
}

function refusal(filter: Plain): { code: number; message: string } {
  try {
    compileFilter(docOf(filter));
  } catch (error) {
    if (error instanceof CommandError) {
      return { code: error.code, message: error.message };
    }
  }
  throw new Error("the filter was accepted");
}

const regex = (pattern: string, options = "") => new BSONRegExp(pattern, options);

describe("equality", () => {
  it("compares numbers of all types by value", () => {
    const five = [{ a: new Int32(5) }, { a: 5n }, { a: Decimal128.fromString("5.0") }];
    expectMatches({ a: 5 }, five, [{ a: "5" }, { a: 5.5 }, {}]);
    expectMatches({ a: 9007199254740993n }, [{ a: 9007199254740993n }], [{ a: 2 ** 53 }]);
  });

  it("matches null with missing and null, not through arrays without documents", () => {
    expectMatches({ a: null }, [{}, { a: null }, { a: [1, null] }], [{ a: 0 }, { a: [] }]);
    expectMatches(
      { "a.b": null },
      [{}, { a: 5 }, { a: {} }, { a: [{}] }, { a: [{ b: 1 }, { c: 1 }] }],
      [{ a: [] }, { a: [1, 2] }, { a: [{ b: 1 }] }],
    );
    expectMatches({ a: { $ne: null } }, [{ a: 1 }, { a: [] }], [{}, { a: null }, { a: [null] }]);
  });

  it("matches an array as a whole and by element", () => {
    expectMatches({ a: 1 }, [{ a: [1, 2] }], [{ a: [[1]] }]);
    expectMatches({ a: [1] }, [{ a: [1] }, { a: [[1], 2] }], [{ a: [1, 2] }, { a: 1 }]);
  });

  it("matches documents by order and content of their fields", () => {
    expectMatches({ a: { b: 1, c: 2 } }, [{ a: { b: 1, c: 2 } }], [{ a: { c: 2, b: 1 } }]);
  });

  it("takes DBRefs as values and refuses undefined", () => {
    const ref = { $ref: "c", $id: new ObjectId("0123456789abcdef01234567") };
    expectMatches({ a: ref }, [{ a: ref }], [{ a: 1 }]);
    expectMatches({ a: { $elemMatch: { $id: ref.$id } } }, [{ a: [ref] }], [{ a: [{ $id: 1 }] }]);
    expect(refusal({ a: BsonUndefined.value }).code).toBe(2);
  });
});

describe("paths", () => {
  it("enter documents in arrays", () => {
    expectMatches(
      { "a.b": 1 },
      [{ a: [{ b: 1 }, { b: 2 }] }, { a: { b: [1] } }],
      [{ a: [[{ b: 1 }]] }],
    );
  });

  it("take numbers as positions and as names", () => {
    expectMatches(
      { "a.0": 1 },
      [{ a: [1, 2] }, { a: { 0: 1 } }, { a: [5, { 0: 1 }] }],
      [{ a: [2, 1] }, { a: [[1]] }],
    );
    expectMatches(
      { "a.1.b": 1 },
      [{ a: [{}, { b: 1 }] }, { a: { 1: { b: 1 } } }],
      [{ a: [{ b: 1 }] }],
    );
    expectMatches({ "a.0.1": 7 }, [{ a: [[6, 7]] }], [{ a: [7] }]);
  });
});

describe("ranges", () => {
  it("stay within the type of their operand", () => {
    expectMatches(
      { a: { $gt: 5 } },
      [{ a: 6n }, { a: Infinity }, { a: [1, 9] }],
      [{ a: "6" }, { a: null }, {}, { a: NaN }],
    );
    expectMatches({ a: { $lt: "b" } }, [{ a: "a" }], [{ a: 1 }, { a: "c" }]);
    expectMatches({ a: { $lte: null } }, [{ a: null }, {}], [{ a: 0 }]);
    expectMatches({ a: { $gte: NaN } }, [{ a: NaN }], [{ a: 1 }]);
    expectMatches(
      { a: { $gte: new Date(5) } },
      [{ a: new Date(5) }],
      [{ a: 5 }, { a: new Date(4) }],
    );
  });

  it("may be satisfied by different elements of an array", () => {
    expectMatches({ a: { $gt: 5, $lt: 10 } }, [{ a: [1, 20] }, { a: 7 }], [{ a: 20 }]);
    expectMatches(
      { a: { $elemMatch: { $gt: 5, $lt: 10 } } },
      [{ a: [1, 7] }],
      [{ a: [1, 20] }, { a: 7 }],
    );
  });

  it("take MinKey and MaxKey as the ends of everything", () => {
    expectMatches({ a: { $gt: new MinKey() } }, [{ a: 1 }, { a: "x" }], [{ a: new MinKey() }]);
    expectMatches({ a: { $lte: new MaxKey() } }, [{ a: 1 }, { a: new MaxKey() }], []);
  });
});

describe("operators", () => {
  it("$in takes values, null and regular expressions", () => {
    expectMatches(
      { a: { $in: [1, null, regex("^x")] } },
      [{ a: 1 }, {}, { a: "xy" }, { a: [3, 1] }],
      [{ a: 2 }, { a: "y" }],
    );
    const many = Array.from({ length: 20 }, (_, i) => i);
    expectMatches({ a: { $in: many } }, [{ a: 19n }, { a: 3.0 }], [{ a: 20 }, { a: 3.5 }, {}]);
    expectMatches({ a: { $nin: [1, 2] } }, [{}, { a: 3 }], [{ a: [3, 2] }]);
  });

  it("$exists and $size look at the field itself", () => {
    expectMatches({ a: { $exists: true } }, [{ a: null }, { a: [] }], [{}]);
    expectMatches(
      { "a.b": { $exists: false } },
      [{ a: [] }, { a: [1] }, {}],
      [{ a: [{ b: 1 }, {}] }],
    );
    expectMatches({ a: { $size: 2 } }, [{ a: [1, 2] }], [{ a: [1] }, { a: [[1, 2]] }, { a: 2 }]);
  });

  it("$all wants every value, each in any element", () => {
    expectMatches({ a: { $all: [1, 2] } }, [{ a: [2, 1] }], [{ a: [1] }, { a: 1 }]);
    expectMatches({ a: { $all: [1] } }, [{ a: 1 }], []);
    expectMatches({ a: { $all: [] } }, [], [{ a: [] }, { a: 1 }]);
    expectMatches(
      { a: { $all: [{ $elemMatch: { x: 1 } }, { $elemMatch: { x: 2 } }] } },
      [{ a: [{ x: 1 }, { x: 2 }] }],
      [{ a: [{ x: 1 }] }],
    );
  });

  it("$elemMatch wants one element with all conditions", () => {
    expectMatches(
      { a: { $elemMatch: { x: 1, y: 2 } } },
      [{ a: [{ x: 1, y: 2 }] }],
      [{ a: [{ x: 1 }, { y: 2 }] }, { a: { x: 1, y: 2 } }],
    );
    expectMatches(
      { a: { $elemMatch: { $or: [{ x: 1 }, { y: 1 }] } } },
      [{ a: [{ y: 1 }] }],
      [{ a: [{ z: 1 }] }],
    );
    expectMatches(
      { "a.b": { $elemMatch: { c: 1 } } },
      [{ a: [{ b: [{ c: 1 }] }] }],
      [{ a: [{ b: { c: 1 } }] }],
    );
  });

  it("$regex works on strings with its options", () => {
    expectMatches(
      { a: { $regex: "^AB", $options: "i" } },
      [{ a: "abc" }, { a: ["x", "ABC"] }],
      [{ a: "xab" }, { a: 1 }],
    );
    expectMatches({ a: regex("b c # comment\n d", "x") }, [{ a: "abcd" }], [{ a: "b c" }]);
    expectMatches({ a: regex("(?i)x[[:digit:]]") }, [{ a: "X1" }], [{ a: "Xa" }]);
    expectMatches({ a: { $not: regex("x") } }, [{}, { a: "y" }, { a: 1 }], [{ a: "x" }]);
    expectMatches({ a: { $eq: regex("x") } }, [{ a: regex("x") }], [{ a: "x" }]);
  });

  it("logical operators combine filters", () => {
    expectMatches({ $or: [{ a: 1 }, { b: 1 }] }, [{ a: 1 }, { b: 1 }], [{ a: 2 }]);
    expectMatches({ $nor: [{ a: 1 }, { b: 1 }] }, [{}, { a: 2 }], [{ b: 1 }]);
    expectMatches({ $and: [{ a: 1 }, { b: 1 }], c: 1 }, [{ a: 1, b: 1, c: 1 }], [{ a: 1, b: 1 }]);
    expectMatches({ a: { $not: { $gt: 1, $lt: 5 } } }, [{ a: 7 }, {}, { a: "x" }], [{ a: 3 }]);
    expectMatches({ $comment: "why", a: 1 }, [{ a: 1 }], [{}]);
  });

  it("refuses what it does not know, by name", () => {
    expect(refusal({ a: { $foo: 1 } })).toEqual({ code: 2, message: "unknown operator: $foo" });
    expect(refusal({ $foo: 1 }).message).toContain("unknown top level operator: $foo");
    expect(refusal({ $where: "1" })).toEqual({ code: 238, message: "$where is not supported" });
    expect(refusal({ a: { $near: [0, 0] } }).message).toBe("$near is not supported");
    expect(refusal({ $jsonSchema: {} }).code).toBe(238);
    expect(refusal({ a: { $in: 1 } }).message).toBe("$in needs an array");
    expect(refusal({ a: { $gt: 1, b: 2 } }).message).toBe("unknown operator: b");
    expect(refusal({ $or: [] }).code).toBe(2);
    const known = ["$type", "$mod", "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear"];
    for (const operator of known) {
      const refused = { code: 238, message: `${operator} is not supported` };
      expect(refusal({ a: { [operator]: 1 } })).toEqual(refused);
    }
    expect(refusal({ $expr: true })).toEqual({ code: 238, message: "$expr is not supported" });
    expect(refusal({ a: regex("(") }).code).toBe(51091);
  });
});

describe("arrayIndexFor", () => {
  const index = (filter: Plain, doc: Plain) =>
    compileFilter(docOf(filter)).arrayIndexFor(docOf(doc));

  it("is the position in the outermost array", () => {
    expect(index({ a: 2 }, { a: [1, 2, 3] })).toBe(1);
    expect(index({ "a.b": 2 }, { a: [{ b: 1 }, { b: [0, 2] }] })).toBe(1);
    expect(index({ a: { $elemMatch: { x: 1, y: 2 } } }, { a: [{ x: 1 }, { x: 1, y: 2 }] })).toBe(1);
    expect(index({ x: 1, "a.b": 3 }, { x: 1, a: [{ b: 1 }, { b: 3 }] })).toBe(1);
    expect(index({ a: { b: 1 } }, { a: { b: 1 } })).toBeUndefined();
  });
});

describe("bounds", () => {
  const boundsOf = (filter: Plain) => compileFilter(docOf(filter)).bounds;

  it("come from the conjuncts at the top", () => {
    const paths = boundsOf({ a: 1, $and: [{ b: { $gt: 1 } }], $or: [{ c: 1 }], d: { $ne: 1 } });
    expect(paths.map(({ path }) => path)).toEqual(["a", "b"]);
    expect(boundsOf({ a: { $elemMatch: { b: 1 } } }).map(({ path }) => path)).toEqual(["a.b"]);
    expect(boundsOf({ "a.0": 1 })).toEqual([]);
  });

  it("of $elemMatch on values meet in one element", () => {
    const [bounds] = boundsOf({ a: { $elemMatch: { $gt: 5, $lte: 10 } } });
    expect(bounds?.intervals).toEqual([
      {
        lower: { kind: "value", value: new Int32(5), inclusive: false },
        upper: { kind: "value", value: new Int32(10), inclusive: true },
      },
    ]);
  });

  it("narrow anchored patterns to their prefix", () => {
    const [bounds] = boundsOf({ a: regex("^ab*") });
    expect(bounds?.intervals[0]).toEqual({
      lower: { kind: "value", value: "a", inclusive: true },
      upper: { kind: "value", value: "b", inclusive: false },
    });
  });
});
