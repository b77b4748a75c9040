import { BSONRegExp, Decimal128, Int32, ObjectId } from "bson";
import { describe, expect, it } from "vitest";
import { CommandError } from "../bson/command-error.ts";
import { describe as print } from "../bson/describe.ts";
import { docOf, identical, valueOf } from "../bson/document.ts";
import type { Doc } from "../bson/value.ts";
import { compileFilter } from "../match/compile-filter.ts";
import { compileUpdate } from "./compile-update.ts";
import { upsertSeed } from "./upsert-seed.ts";

type Plain = Parameters<typeof docOf>[0];

interface Case {
  filter?: Plain;
  insert?: boolean;
}

function run(
  doc: Plain,
  update: Plain | Plain[],
  options: Case = {},
): { doc: Doc; changed: boolean } {
  const before = docOf(doc);
  const compiled = compileUpdate(valueOf(update));
  const matchedArrayIndex =
    options.filter && compileFilter(docOf(options.filter)).arrayIndexFor(before);
  const result = compiled.apply(before, {
    isUpsertInsert: options.insert ?? false,
    matchedArrayIndex,
  });
  expect(identical(before, docOf(doc)), "the given document is not touched").toBe(true);
  return result;
}

function expectUpdate(
  doc: Plain,
  update: Plain | Plain[],
  expected: Plain,
  options: Case = {},
): void {
  const result = run(doc, update, options);
  expect(print(result.doc)).toBe(print(docOf(expected)));
  expect(result.changed).toBe(!identical(docOf(doc), docOf(expected)));
}

function refusal(
  doc: Plain,
  update: Plain | Plain[],
  options: Case = {},
): { code: number; message: string } {
  try {
    run(doc, update, options);
  } catch (error) {
    if (error instanceof CommandError) {
      return { code: error.code, message: error.message };
    }
    throw error;
  }
  throw new Error("the update was accepted");
}

describe("$set, $unset and paths", () => {
  it("creates parents, keeps the order of fields, appends new ones by name", () => {
    expectUpdate(
      { _id: 1, b: 1 },
      { $set: { z: 1, "a.y": 2, "a.x": 1, b: 2 } },
      { _id: 1, b: 2, a: { x: 1, y: 2 }, z: 1 },
    );
    expectUpdate({ _id: 1, a: [1] }, { $set: { "a.3": 4 } }, { _id: 1, a: [1, null, null, 4] });
    expectUpdate({ _id: 1 }, { $set: { "a.0": 4 } }, { _id: 1, a: { 0: 4 } });
  });

  it("says whether anything changed, types included", () => {
    expect(run({ _id: 1, a: 1 }, { $set: { a: 1 } }).changed).toBe(false);
    expect(run({ _id: 1, a: 1 }, { $set: { a: 1n } }).changed).toBe(true);
    expect(run({ _id: 1, a: 1 }, { $set: {} }).changed).toBe(false);
  });

  it("unsets fields, and nulls array elements", () => {
    expectUpdate(
      { _id: 1, a: { b: 1, c: 2 } },
      { $unset: { "a.b": "", x: 1, "a.c.d": 1 } },
      { _id: 1, a: { c: 2 } },
    );
    expectUpdate({ _id: 1, a: [1, 2] }, { $unset: { "a.0": 1 } }, { _id: 1, a: [null, 2] });
  });

  it("refuses conflicts, scalars on the way and bad names", () => {
    expect(refusal({ _id: 1 }, { $set: { a: 1, "a.b": 1 } })).toEqual({
      code: 40,
      message: "Updating the path 'a.b' would create a conflict at 'a'",
    });
    expect(refusal({ _id: 1 }, { $set: { "a.b": 1 }, $inc: { a: 1 } }).code).toBe(40);
    expect(refusal({ _id: 1, a: 5 }, { $set: { "a.b": 1 } })).toEqual({
      code: 28,
      message: "Cannot create field 'b' in element {a: 5}",
    });
    expect(refusal({ _id: 1, a: [] }, { $set: { "a.b": 1 } }).code).toBe(28);
    expect(refusal({ _id: 1 }, { $set: { "": 1 } }).code).toBe(56);
    expect(refusal({ _id: 1 }, { $set: { "a..b": 1 } }).code).toBe(56);
    expect(refusal({ _id: 1 }, { $set: { $x: 1 } }).code).toBe(52);
    expectUpdate({ _id: 1 }, { $set: { "a.$x": 1 } }, { _id: 1, a: { $x: 1 } });
    expectUpdate({ _id: 1 }, { $set: { $x: 1 } }, { _id: 1, $x: 1 }, { insert: true });
    expect(refusal({ _id: 1 }, { $nope: { a: 1 } }).message).toContain("Unknown modifier: $nope");
    expect(refusal({ _id: 1 }, { $set: "x" }).code).toBe(9);
  });

  it("keeps _id as it is", () => {
    expectUpdate({ _id: 1, a: 1 }, { $set: { _id: 1, a: 2 } }, { _id: 1, a: 2 });
    expect(refusal({ _id: 1 }, { $set: { _id: 2 } }).code).toBe(66);
    expect(refusal({ _id: 1 }, { $unset: { _id: 1 } }).code).toBe(66);
  });
});

describe("numbers", () => {
  const inc = (a: Plain["x"], by: Plain["x"]) =>
    run({ _id: 1, a }, { $inc: { a: by } }).doc.get("a");

  it("$inc keeps the wider type and grows int to long", () => {
    expect(inc(1, 2)).toEqual(new Int32(3));
    expect(inc(2147483647, 1)).toBe(2147483648n);
    expect(inc(1n, 2)).toBe(3n);
    expect(inc(1, 0.5)).toBe(1.5);
    expect(run({ _id: 1 }, { $inc: { a: 5 } }).doc.get("a")).toEqual(new Int32(5));
  });

  it("refuses overflow and what is no number", () => {
    expect(refusal({ _id: 1, a: 2n ** 63n - 1n }, { $inc: { a: 1 } }).code).toBe(2);
    expect(refusal({ _id: 1, a: "x" }, { $inc: { a: 1 } })).toEqual({
      code: 14,
      message:
        "Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'a' of non-numeric type string",
    });
    expect(refusal({ _id: 1 }, { $inc: { a: "x" } }).code).toBe(14);
  });
});

describe("arrays", () => {
  it("$push appends, and with $each slices", () => {
    expectUpdate({ _id: 1 }, { $push: { a: 1 } }, { _id: 1, a: [1] });
    expectUpdate(
      { _id: 1, a: [1, 2] },
      { $push: { a: { $each: [3], $slice: -2 } } },
      { _id: 1, a: [2, 3] },
    );
    expect(refusal({ _id: 1, a: 1 }, { $push: { a: 1 } })).toEqual({
      code: 2,
      message: "The field 'a' must be an array but is of type int in document {_id: 1}",
    });
    expect(refusal({ _id: 1 }, { $push: { a: { $each: [1], $foo: 1 } } }).code).toBe(2);
  });

  it("$addToSet adds what is not yet there, by value", () => {
    expectUpdate({ _id: 1, a: [1] }, { $addToSet: { a: 1n } }, { _id: 1, a: [1] });
    expectUpdate(
      { _id: 1, a: [1] },
      { $addToSet: { a: { $each: [1, 2, 2] } } },
      { _id: 1, a: [1, 2] },
    );
    expectUpdate(
      { _id: 1, a: [{ x: 1, y: 1 }] },
      { $addToSet: { a: { y: 1, x: 1 } } },
      {
        _id: 1,
        a: [
          { x: 1, y: 1 },
          { y: 1, x: 1 },
        ],
      },
    );
  });

  it("$pop, $pull and $pullAll remove", () => {
    expectUpdate({ _id: 1, a: [1, 2, 3] }, { $pop: { a: -1 } }, { _id: 1, a: [2, 3] });
    expectUpdate({ _id: 1, a: [1, 2, 3] }, { $pull: { a: { $gte: 2 } } }, { _id: 1, a: [1] });
    expectUpdate(
      { _id: 1, a: [{ x: 1, y: 1 }, { x: 2 }] },
      { $pull: { a: { x: 1 } } },
      { _id: 1, a: [{ x: 2 }] },
    );
    expectUpdate(
      { _id: 1, a: [{ x: 1 }, { y: 1 }] },
      { $pull: { a: { $or: [{ x: 1 }, { z: 1 }] } } },
      { _id: 1, a: [{ y: 1 }] },
    );
    expectUpdate(
      { _id: 1, a: ["ab", "c"] },
      { $pull: { a: new BSONRegExp("^a") } },
      { _id: 1, a: ["c"] },
    );
    expectUpdate(
      { _id: 1, a: [1, 2, 1] },
      { $pullAll: { a: [1, 5] }, $pull: { b: 1 } },
      { _id: 1, a: [2] },
    );
    expect(refusal({ _id: 1, a: 1 }, { $pop: { a: 1 } }).code).toBe(14);
    expect(refusal({ _id: 1, a: 1 }, { $pull: { a: 1 } }).code).toBe(2);
    expect(refusal({ _id: 1, a: [] }, { $pop: { a: 2 } }).code).toBe(9);
  });
});

describe("positional operators", () => {
  const items = { _id: 1, items: [{ n: 1 }, { n: 2 }, { n: 3 }] };

  it("$ is the element that the query matched, in several paths at once", () => {
    expectUpdate(
      items,
      { $set: { "items.$.x": 9, "items.$.y": 8 } },
      { _id: 1, items: [{ n: 1 }, { n: 2, x: 9, y: 8 }, { n: 3 }] },
      { filter: { "items.n": 2 } },
    );
    expect(refusal(items, { $set: { "items.$.x": 9 } }).message).toContain(
      "The positional operator did not find the match",
    );
  });

  it("conflict only where they mean the same element", () => {
    const filter = { "items.n": 2 };
    expectUpdate(
      items,
      { $set: { "items.$.x": 1, "items.0.x": 1 } },
      { _id: 1, items: [{ n: 1, x: 1 }, { n: 2, x: 1 }, { n: 3 }] },
      { filter },
    );
    expect(refusal(items, { $set: { "items.$.x": 1, "items.1.x": 1 } }, { filter }).code).toBe(40);
    expect(
      refusal(items, { $set: { "items.$.x": 1 }, $unset: { "items.$": 1 } }, { filter }).code,
    ).toBe(40);
  });
});

describe("$setOnInsert", () => {
  it("sets on insertion only, and makes an _id that comes first", () => {
    expectUpdate({ _id: 1 }, { $setOnInsert: { a: 1 } }, { _id: 1 });
    const { doc } = run({ b: 1 }, { $setOnInsert: { a: 1 } }, { insert: true });
    expect([...doc.keys()]).toEqual(["_id", "b", "a"]);
    expect(doc.get("_id")).toBeInstanceOf(ObjectId);
    expectUpdate({ _id: null }, { $setOnInsert: { a: 1 } }, { _id: null, a: 1 }, { insert: true });
  });
});

describe("replacement", () => {
  it("keeps _id, and refuses another", () => {
    expectUpdate({ _id: 1, a: 1 }, { b: 2 }, { _id: 1, b: 2 });
    expectUpdate({ _id: 1, a: 1 }, { b: 2, _id: 1 }, { _id: 1, b: 2 });
    expectUpdate({ _id: null, a: 1 }, { b: 2 }, { _id: null, b: 2 });
    expect(refusal({ _id: 1 }, { _id: 2 }).code).toBe(66);
    expect(refusal({ _id: 1 }, { _id: null }).code).toBe(66);
    expect(refusal({ _id: 1 }, { a: 1, $set: { b: 1 } }).code).toBe(52);
  });
});

describe("upsertSeed", () => {
  const seed = (filter: Plain) => print(upsertSeed(docOf(filter)));

  it("takes equalities and nothing else", () => {
    expect(
      seed({
        a: 1,
        "b.c": { $eq: 2 },
        d: { $gt: 1 },
        $and: [{ e: 3 }],
        $or: [{ f: 1 }, { g: 1 }],
        h: new BSONRegExp("x"),
      }),
    ).toBe("{ a: 1, b: { c: 2 }, e: 3 }");
  });

  it("refuses to choose between two", () => {
    expect(() => seed({ a: 1, $and: [{ a: 2 }] })).toThrow("matched twice");
    expect(() => seed({ a: { b: 1 }, "a.c": 2 })).toThrow("both paths");
  });
});

it.each<[Plain | Plain[], string]>([
  [{ $mul: { a: 2 } }, "$mul"],
  [{ $min: { a: 2 } }, "$min"],
  [{ $max: { a: 2 } }, "$max"],
  [{ $bit: { a: { and: 1 } } }, "$bit"],
  [{ $rename: { a: "b" } }, "$rename"],
  [{ $currentDate: { a: true } }, "$currentDate"],
  [{ $set: { "a.$[]": 0 } }, "$[]"],
  [{ $set: { "a.$[e].b": 0 } }, "$[e]"],
  [{ $push: { a: { $each: [1], $sort: 1 } } }, "$sort in $push"],
  [{ $push: { a: { $each: [1], $position: 0 } } }, "$position in $push"],
  [{ $inc: { a: Decimal128.fromString("1") } }, "$inc of a decimal"],
  [[{ $set: { a: 1 } }], "pipeline"],
])("%j is refused by name", (update, named) => {
  const refused = refusal({ _id: 1, a: [1] }, update);
  expect(refused.code).toBe(238);
  expect(refused.message).toContain(named);
});
