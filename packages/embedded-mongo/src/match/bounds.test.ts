import { BSONRegExp, Int32 } from "bson";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describe as print } from "../bson/describe.ts";
import { BsonUndefined, type Doc, type Value } from "../bson/value.ts";
import { extractKeys } from "../keys/extract-keys.ts";
import { encodeBound, encodeIndexKey } from "../keys/index-key.ts";
import { compileFilter } from "./compile-filter.ts";

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(null, true, "", "a", "ab", "b", Number.NaN, -Infinity),
  fc.constantFrom<Value>(1, 2n, new Int32(1), new Int32(3), new Date(5), BsonUndefined.value),
);

const stored: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .dictionary(fc.constantFrom("a", "b", "0"), tie("value"), { maxKeys: 2 })
      .map((fields): Value => new Map(Object.entries(fields))),
  ),
})).value;

const operand = stored.filter((value) => !(value instanceof BsonUndefined));

const condition: fc.Arbitrary<Value> = fc.oneof(
  operand.map((value): Value => new Map([["$eq", value]])),
  fc
    .tuple(fc.constantFrom("$gt", "$gte", "$lt", "$lte"), operand)
    .map(([name, value]): Value => new Map([[name, value]])),
  fc.array(operand, { maxLength: 3 }).map((values): Value => new Map([["$in", values]])),
  fc.constantFrom("^a", "^ab", "a", "^b?").map((pattern): Value => new BSONRegExp(pattern)),
  operand.map((value): Value => new Map([["$elemMatch", new Map([["$gte", value]])]])),
  operand.map(
    (value): Value => new Map([["$elemMatch", new Map([["b", new Map([["$eq", value]])]])]]),
  ),
  fc.constant<Value>(new Map([["$exists", true]])),
  operand.map((value): Value => new Map([["$all", [value]]])),
);

/** Whether a key of the document for the path lies within one of the intervals. */
function isFound(
  doc: Doc,
  path: string,
  bounds: ReturnType<typeof compileFilter>["bounds"][number],
  sparse: boolean,
): boolean {
  return extractKeys(doc, [path], { sparse }).some((key) =>
    bounds.intervals.some((interval) => {
      const { from, to } = encodeBound(interval, 1);
      const bytes = encodeIndexKey(key, [1]);
      return Buffer.compare(from, bytes) <= 0 && Buffer.compare(bytes, to) < 0;
    }),
  );
}

describe("bounds", () => {
  it("find every document that matches, also in a sparse index unless missing matches", () => {
    let matched = 0;
    fc.assert(
      fc.property(stored, fc.constantFrom("a", "a.b"), condition, (value, path, spec) => {
        const doc: Doc = new Map([["a", value]]);
        const filter = compileFilter(new Map([[path, spec]]));
        if (!filter.matches(doc)) {
          return;
        }
        for (const bounds of filter.bounds) {
          matched += 1;
          const label = `${print(doc)} by ${bounds.path} of ${print(spec)}`;
          expect(isFound(doc, bounds.path, bounds, false), label).toBe(true);
          expect(bounds.matchesMissing || isFound(doc, bounds.path, bounds, true), label).toBe(
            true,
          );
        }
      }),
      { numRuns: 20_000 },
    );
    expect(matched).toBeGreaterThan(1000);
  });
});
