import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  deserialize,
  Int32,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from "bson";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CommandError } from "./command-error.ts";
import { describe as print } from "./describe.ts";
import { decode, distinctValues, docOf, encode, identical } from "./document.ts";
import { BsonUndefined, DbPointer, type Doc, typeName, type Value } from "./value.ts";

const everyType: Doc = new Map<string, Value>([
  ["double", 5],
  ["int", new Int32(5)],
  ["long", 5n],
  ["decimal", Decimal128.fromString("5.00")],
  ["string", "é\0x"],
  [
    "object",
    new Map<string, Value>([
      ["2", true],
      ["1", false],
      ["__proto__", null],
    ]),
  ],
  ["array", [1, [new Int32(2)], new Map()]],
  ["binData", new Binary(Buffer.of(1, 2), 4)],
  ["undefined", BsonUndefined.value],
  ["objectId", new ObjectId("0123456789abcdef01234567")],
  ["bool", true],
  ["date", new Date(-5)],
  ["null", null],
  ["regex", new BSONRegExp("a", "im")],
  ["dbPointer", new DbPointer("db.c", new ObjectId("0123456789abcdef01234567"))],
  ["javascript", new Code("x")],
  ["symbol", new BSONSymbol("s")],
  ["javascriptWithScope", new Code("x", new Map([["a", 1]]))],
  ["timestamp", new Timestamp({ t: 4294967295, i: 1 })],
  ["minKey", new MinKey()],
  ["maxKey", new MaxKey()],
]);

describe("decode and encode", () => {
  it("keep every type, and the order of fields that look like numbers", () => {
    const bytes = encode(everyType);
    const copy = decode(bytes);
    expect(Buffer.compare(encode(copy), bytes)).toBe(0);
    expect(identical(copy, everyType)).toBe(true);
    for (const [name, value] of copy) {
      expect(typeName(value)).toBe(name);
    }
    const inner = copy.get("object");
    expect(inner instanceof Map && [...inner.keys()]).toEqual(["2", "1", "__proto__"]);
  });

  it("write documents larger than the buffer they begin with", () => {
    const large = docOf({ a: [{ b: "x".repeat(70_000) }], c: { d: "y".repeat(300_000) }, e: 1 });
    expect(identical(decode(encode(large)), large)).toBe(true);
  });

  it("agree with package bson", () => {
    const plain = { a: 1, b: 1.5, c: "x", d: [true, null], e: { f: new Date(5) } };
    expect(Buffer.compare(serialize(plain), encode(docOf(plain)))).toBe(0);
    expect(deserialize(encode(docOf(plain)))).toEqual(plain);
  });

  it("retain nothing of the bytes", () => {
    const bytes = Buffer.from(encode(everyType));
    const copy = decode(bytes);
    bytes.fill(0xff);
    expect(identical(copy, everyType)).toBe(true);
  });

  it("answer foreign bytes with a document or InvalidBSON, never otherwise", () => {
    const valid = encode(everyType);
    fc.assert(
      fc.property(fc.nat(valid.length - 1), fc.nat(255), fc.nat(valid.length), (at, byte, cut) => {
        const bytes = Uint8Array.from(valid.subarray(0, cut));
        bytes[at] = byte;
        try {
          decode(bytes);
        } catch (error) {
          if (!(error instanceof CommandError)) {
            throw error;
          }
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("refuse documents nested too deep", () => {
    let deep: Doc = new Map();
    for (let i = 0; i < 250; i += 1) {
      deep = new Map([["a", deep]]);
    }
    expect(() => encode(deep)).toThrow("nested");
  });
});

describe("paths", () => {
  const doc = docOf({ a: { b: 1 }, c: [{ d: 1 }, { d: [2, 3] }, 4], "1": "x" });

  it("distinctValues enters and unwinds arrays", () => {
    expect(print(distinctValues(doc, "c.d"))).toBe("[ 1, 2, 3 ]");
    expect(print(distinctValues(doc, "c.1.d"))).toBe("[ 2, 3 ]");
    expect(print(distinctValues(doc, "a"))).toBe("[ { b: 1 } ]");
    expect(distinctValues(doc, "x")).toEqual([]);
  });
});

describe("identical", () => {
  it("tells types, orders and zeros apart", () => {
    expect(identical(1, new Int32(1))).toBe(false);
    expect(identical(0, -0)).toBe(false);
    expect(identical(NaN, NaN)).toBe(true);
    expect(identical(docOf({ a: 1, b: 2 }), docOf({ b: 2, a: 1 }))).toBe(false);
    expect(identical(Decimal128.fromString("1.0"), Decimal128.fromString("1.00"))).toBe(false);
    expect(identical([1, "a"], [1, "a"])).toBe(true);
  });
});
