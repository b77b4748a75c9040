import { BSONSymbol, Decimal128, Int32, MaxKey, MinKey, ObjectId, Timestamp } from "bson";
import { describe, expect, it } from "vitest";
import { compareValues } from "../bson/compare-values.ts";
import { describe as print } from "../bson/describe.ts";
import { docOf } from "../bson/document.ts";
import { BsonUndefined, type Value } from "../bson/value.ts";
import { compileSort } from "./compile-sort.ts";
import { extractKeys } from "./extract-keys.ts";

type Plain = Parameters<typeof docOf>[0];

function sorted(spec: Plain, docs: Plain[]): string[] {
  const sort = compileSort(docOf(spec));
  return docs
    .map(docOf)
    .sort((a, b) => sort.compare(a, b))
    .map((doc) => print(doc.get("_id")));
}

describe("compareValues", () => {
  it("orders types as MongoDB does", () => {
    const ascending: (Value | undefined)[] = [
      new MinKey(),
      BsonUndefined.value,
      null,
      Number.NaN,
      -Infinity,
      new Int32(1),
      Decimal128.fromString("1.5"),
      2 ** 53,
      2n ** 53n + 1n,
      Infinity,
      "",
      new BSONSymbol("a"),
      "\u{ffff}",
      "\u{10000}",
      new Map(),
      new Map([["a", 1]]),
      [],
      [1],
      new ObjectId("000000000000000000000001"),
      false,
      true,
      new Date(0),
      new Timestamp({ t: 1, i: 1 }),
      new MaxKey(),
    ];
    for (let i = 0; i + 1 < ascending.length; i += 1) {
      expect(compareValues(ascending[i], ascending[i + 1]), `position ${i}`).toBe(-1);
      expect(compareValues(ascending[i + 1], ascending[i]), `position ${i}`).toBe(1);
    }
  });
});

describe("compileSort", () => {
  it("takes the least element of an array ascending, the greatest descending", () => {
    const docs = [
      { _id: 1, a: [5, 1] },
      { _id: 2, a: 3 },
      { _id: 3, a: [4, 2] },
    ];
    expect(sorted({ a: 1 }, docs)).toEqual(["1", "3", "2"]);
    expect(sorted({ a: -1 }, docs)).toEqual(["1", "3", "2"]);
  });

  it("sorts an empty array before null and missing", () => {
    expect(sorted({ a: 1 }, [{ _id: 1, a: 0 }, { _id: 2 }, { _id: 3, a: [] }])).toEqual([
      "3",
      "2",
      "1",
    ]);
  });

  it("sorts by several fields and by fields in arrays", () => {
    const docs = [
      { _id: 1, a: 1, b: { c: 1 } },
      { _id: 2, a: 1, b: [{ c: 9 }, { c: 5 }] },
      { _id: 3, a: 0 },
    ];
    expect(sorted({ a: 1, "b.c": -1 }, docs)).toEqual(["3", "2", "1"]);
  });

  it("refuses what is no direction", () => {
    expect(() => compileSort(docOf({ a: 2 }))).toThrow("must be 1 (for ascending) or -1");
    expect(() => compileSort(docOf({ a: "x" }))).toThrow("Illegal key");
    expect(() => sorted({ a: 1, b: 1 }, [{ a: [1, 2], b: [1, 2] }, { a: 1 }])).toThrow(
      "parallel arrays",
    );
  });
});

describe("extractKeys", () => {
  const keys = (doc: Plain, paths: string[], sparse = false) =>
    extractKeys(docOf(doc), paths, { sparse }).map(print);

  it("gives a key for each element of an array, and null for what is missing", () => {
    expect(keys({ a: [1, 2] }, ["a", "b"])).toEqual(["[ 1, null ]", "[ 2, null ]"]);
    expect(keys({ a: [{ b: 1, c: 2 }, { b: 3 }] }, ["a.b", "a.c"])).toEqual([
      "[ 1, 2 ]",
      "[ 3, null ]",
    ]);
    expect(keys({ a: [] }, ["a"])).toEqual(["[ undefined ]"]);
    expect(keys({ a: [[1, 2]] }, ["a"])).toEqual(["[ [ 1, 2 ] ]"]);
    expect(keys({ a: [{ b: [1, 2] }] }, ["a.b"])).toEqual(["[ 1 ]", "[ 2 ]"]);
    expect(keys({ a: [5, 6] }, ["a.1"])).toEqual(["[ 6 ]"]);
  });

  it("leaves a document out of a sparse index only if all fields are missing", () => {
    expect(keys({ x: 1 }, ["a", "b"], true)).toEqual([]);
    expect(keys({ a: null }, ["a", "b"], true)).toEqual(["[ null, null ]"]);
  });

  it("refuses parallel arrays", () => {
    expect(() => keys({ a: [1], b: [2] }, ["a", "b"])).toThrow(
      "cannot index parallel arrays [b] [a]",
    );
  });
});
