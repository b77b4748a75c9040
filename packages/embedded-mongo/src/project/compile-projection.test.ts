import { describe, expect, it } from "vitest";
import { CommandError } from "../bson/command-error.ts";
import { describe as print } from "../bson/describe.ts";
import { docOf } from "../bson/document.ts";
import { compileProjection } from "./compile-projection.ts";

type Plain = Parameters<typeof docOf>[0];

const sampleDoc: Plain = {
  _id: 1,
  a: 1,
  b: { c: 2, d: [{ e: 1, f: 2 }, 7, { e: 3 }] },
  list: [1, 2, 3, 4],
};

function expectProjection(spec: Plain, expected: Plain): void {
  const project = compileProjection(docOf(spec));
  expect(print(project(docOf(sampleDoc)))).toBe(print(docOf(expected)));
}

function code(spec: Plain): number | undefined {
  try {
    compileProjection(docOf(spec));
  } catch (error) {
    if (error instanceof CommandError) {
      return error.code;
    }
  }
  return undefined;
}

describe("inclusion and exclusion", () => {
  it("includes fields in the document's order, with _id", () => {
    expectProjection({ list: 1, a: true }, { _id: 1, a: 1, list: [1, 2, 3, 4] });
    expectProjection({ a: 1, _id: 0 }, { a: 1 });
    expectProjection({ _id: 1 }, { _id: 1 });
    expectProjection({ "b.d.e": 1 }, { _id: 1, b: { d: [{ e: 1 }, { e: 3 }] } });
    expectProjection({ b: { c: 1 } }, { _id: 1, b: { c: 2 } });
    expectProjection({ "a.x": 1 }, { _id: 1 });
  });

  it("excludes fields and leaves the rest", () => {
    expectProjection({ b: 0, list: false }, { _id: 1, a: 1 });
    expectProjection({ "b.d.e": 0, list: 0 }, { _id: 1, a: 1, b: { c: 2, d: [{ f: 2 }, 7, {}] } });
    expectProjection({ _id: 0, b: 0, list: 0 }, { a: 1 });
    expectProjection({ b: 0, list: 0, _id: 1 }, { _id: 1, a: 1 });
  });

  it("refuses mixtures and collisions", () => {
    expect(code({ a: 1, b: 0 })).toBe(31254);
    expect(code({ a: 0, b: 1 })).toBe(31253);
    expect(code({ a: 1, "a.b": 1 })).toBe(31249);
    expect(code({ "a.b": 1, a: 1 })).toBe(31250);
    expect(code({ a: { $foo: 1 } })).toBe(168);
    expect(code({ a: { $meta: "textScore" } })).toBe(238);
    expect(code({ "": 1 })).toBe(40352);
    expect(code({ a: {} })).toBe(51270);
  });
});

it.each<[Plain, string]>([
  [{ a: "$b" }, "the computed field a: $b"],
  [{ a: ["$b"] }, "the computed field a"],
  [{ a: { $slice: 2 } }, "$slice"],
  [{ a: { $elemMatch: { b: 1 } } }, "$elemMatch"],
  [{ a: { $meta: "textScore" } }, "$meta"],
  [{ "a.$": 1 }, "the positional projection a.$"],
])("%j is refused by name", (spec, named) => {
  expect(code(spec)).toBe(238);
  expect(() => compileProjection(docOf(spec))).toThrow(named);
});
