import { describe, expect, it } from "vitest";
import { describe as print } from "./describe.ts";
import { docOf } from "./document.ts";
import { CommandError } from "./error.ts";
import { compileFilter } from "./match.ts";
import { compileProjection } from "./project.ts";

type Plain = Parameters<typeof docOf>[0];

const DOC: Plain = {
  _id: 1,
  a: 1,
  b: { c: 2, d: [{ e: 1, f: 2 }, 7, { e: 3 }] },
  list: [1, 2, 3, 4],
};

function expectProjection(spec: Plain, expected: Plain, filter?: Plain, doc: Plain = DOC): void {
  const options = filter ? { filter: compileFilter(docOf(filter)) } : {};
  const project = compileProjection(docOf(spec), options);
  expect(print(project(docOf(doc)))).toBe(print(docOf(expected)));
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

  it("computes fields by expressions, after the others", () => {
    expectProjection({ sum: { $add: ["$a", 1] }, a: 1, x: "$b.c" }, { _id: 1, a: 1, sum: 2, x: 2 });
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

describe("array operators", () => {
  it("$slice alone leaves all other fields", () => {
    expectProjection({ list: { $slice: 2 }, b: 0 }, { _id: 1, a: 1, list: [1, 2] });
    expectProjection({ list: { $slice: -1 }, b: 0, a: 0 }, { _id: 1, list: [4] });
    expectProjection({ list: { $slice: [1, 2] }, a: 1 }, { _id: 1, a: 1, list: [2, 3] });
    expectProjection({ list: { $slice: [-3, 2] } }, { _id: 1, list: [2, 3] }, undefined, {
      _id: 1,
      list: [1, 2, 3, 4],
    });
  });

  it("$elemMatch gives the first matching element", () => {
    const doc = { _id: 1, a: 1, items: [{ n: 1 }, { n: 2 }, { n: 3 }] };
    expectProjection(
      { items: { $elemMatch: { n: { $gt: 1 } } } },
      { _id: 1, items: [{ n: 2 }] },
      undefined,
      doc,
    );
    expectProjection({ items: { $elemMatch: { n: 9 } }, a: 1 }, { _id: 1, a: 1 }, undefined, doc);
  });

  it("the positional operator gives the element that the query matched", () => {
    expectProjection({ "list.$": 1 }, { _id: 1, list: [3] }, { list: 3 });
    const doc = {
      _id: 1,
      a: {
        items: [
          { n: 1, x: 1 },
          { n: 2, x: 2 },
        ],
      },
    };
    expectProjection(
      { "a.items.$": 1 },
      { _id: 1, a: { items: [{ n: 2, x: 2 }] } },
      { "a.items.n": 2 },
      doc,
    );
    expect(() => expectProjection({ "list.$": 1 }, {}, { a: 1 })).toThrow(
      "couldn't find a matching element",
    );
    expect(code({ "a.$": 1, "b.$": 1 })).toBe(31276);
  });
});
