import { Binary, BSONRegExp, Decimal128, Int32, MaxKey, MinKey, ObjectId, Timestamp } from "bson";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareValues } from "../bson/compare-values.ts";
import { BsonUndefined, type Value } from "../bson/value.ts";
import { encodeBound, encodeIndexKey, type Interval } from "./index-key.ts";

const nearValues = [
  0,
  1,
  -1,
  0.1,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  1e300,
  5e-324,
  Infinity,
  -Infinity,
  NaN,
];

const decimal = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }),
    fc.integer({ min: -6176, max: 6111 }),
  )
  .map(([coefficient, exponent]) => Decimal128.fromString(`${coefficient}E${exponent}`));

const smallDecimal = fc
  .tuple(fc.bigInt({ min: -2000n, max: 2000n }), fc.integer({ min: -3, max: 3 }))
  .map(([coefficient, exponent]) => Decimal128.fromString(`${coefficient}E${exponent}`));

const number: fc.Arbitrary<Value> = fc.oneof(
  fc.double(),
  fc.integer({ min: -100, max: 100 }),
  fc.constantFrom(...nearValues),
  fc.integer().map((value) => new Int32(value)),
  fc.integer({ min: -10, max: 10 }).map((value) => new Int32(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: -(2n ** 53n) - 3n, max: -(2n ** 53n) + 3n }),
  decimal,
  smallDecimal,
  fc.constantFrom(
    ...["NaN", "Infinity", "-Infinity", "0.1", "9007199254740993", "-0"].map((text) =>
      Decimal128.fromString(text),
    ),
  ),
);

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.string({
    unit: fc.constantFrom("a", "b", "\0", "\u{ffff}", "\u{10000}", "\u{7f}"),
    maxLength: 4,
  }),
);

const leaf: fc.Arbitrary<Value> = fc.oneof(
  number,
  text,
  fc.constantFrom<Value>(null, true, false, BsonUndefined.value, new MinKey(), new MaxKey()),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc
    .tuple(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(0, 4))
    .map(([bytes, type]) => new Binary(bytes, type)),
  fc.tuple(fc.nat(3), fc.nat(3)).map(([t, i]) => new Timestamp({ t, i })),
  fc.constantFrom("", "i", "im").map((options) => new BSONRegExp("a", options)),
);

const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom("a", "b", "1", "0", ""), tie("value")), { maxLength: 3 })
      .map((entries): Value => new Map(entries)),
  ),
})).value;

const sign = (order: number) => Math.sign(order);
const byteOrder = (a: readonly Value[], b: readonly Value[], directions: readonly (1 | -1)[]) =>
  sign(Buffer.compare(encodeIndexKey(a, directions), encodeIndexKey(b, directions)));

describe("encodeIndexKey", () => {
  it("orders numbers of all types by their exact value", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(byteOrder([a], [b], [1])).toBe(sign(compareValues(a, b)));
      }),
      { numRuns: 5000 },
    );
  });

  it("orders all values as compareValues does, ascending and descending", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const expected = sign(compareValues(a, b));
        expect(byteOrder([a], [b], [1])).toBe(expected);
        expect(byteOrder([a], [b], [-1])).toBe(expected === 0 ? 0 : -expected);
      }),
      { numRuns: 5000 },
    );
  });

  it("orders compound keys field by field, each in its direction", () => {
    fc.assert(
      fc.property(
        leaf,
        leaf,
        leaf,
        leaf,
        fc.constantFrom(1, -1),
        fc.constantFrom(1, -1),
        (a1, a2, b1, b2, d1, d2) => {
          const expected = compareValues(a1, b1) * d1 || compareValues(a2, b2) * d2;
          expect(byteOrder([a1, a2], [b1, b2], [d1 === 1 ? 1 : -1, d2 === 1 ? 1 : -1])).toBe(
            sign(expected) || 0,
          );
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("gives equal numbers of different types the same bytes", () => {
    const five = [5, new Int32(5), 5n, Decimal128.fromString("5.00")].map((n) =>
      Buffer.from(encodeIndexKey([n], [1])).toString("hex"),
    );
    expect(new Set(five).size).toBe(1);
  });
});

describe("encodeBound", () => {
  it("contains exactly the values of the interval, in either direction", () => {
    const inclusive = fc.boolean();
    fc.assert(
      fc.property(
        value,
        value,
        value,
        inclusive,
        inclusive,
        fc.constantFrom<1 | -1>(1, -1),
        (low, high, x, lowIn, highIn, direction) => {
          const interval: Interval = {
            lower: { kind: "value", value: low, inclusive: lowIn },
            upper: { kind: "value", value: high, inclusive: highIn },
          };
          const { from, to } = encodeBound(interval, direction);
          const key = encodeIndexKey([x], [direction]);
          const inside = Buffer.compare(from, key) <= 0 && Buffer.compare(key, to) < 0;
          const above = compareValues(x, low) > 0 || (lowIn && compareValues(x, low) === 0);
          const below = compareValues(x, high) < 0 || (highIn && compareValues(x, high) === 0);
          expect(inside).toBe(above && below);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("brackets a type", () => {
    const strings: Interval = {
      lower: { kind: "bracket", rank: 40 },
      upper: { kind: "bracket", rank: 40 },
    };
    for (const direction of [1, -1] as const) {
      const { from, to } = encodeBound(strings, direction);
      const inside = [null, 1, "", "\u{10ffff}", new Map(), new MinKey(), true].filter((x) => {
        const key = encodeIndexKey([x], [direction]);
        return Buffer.compare(from, key) <= 0 && Buffer.compare(key, to) < 0;
      });
      expect(inside).toEqual(["", "\u{10ffff}"]);
    }
  });
});
