import { expect, it } from "vitest";
import { deepestInput, withinDepth } from "./within-depth.ts";

const nested = (depth: number): unknown =>
  JSON.parse(`${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`);

it("counts objects and arrays, and nothing else", () => {
  for (const flat of [undefined, null, 1, "{{{{", true]) {
    expect(withinDepth(flat, 0)).toBe(true);
  }
  expect(withinDepth({}, 0)).toBe(false);
  expect(withinDepth({ a: 1, b: "[[[[" }, 1)).toBe(true);
  expect(withinDepth({ a: 1, b: [] }, 1)).toBe(false);
});

it("takes what is just deep enough and refuses one level more, wherever that is", () => {
  expect(withinDepth(nested(deepestInput), deepestInput)).toBe(true);
  expect(withinDepth(nested(deepestInput + 2), deepestInput + 1)).toBe(false);
  expect(withinDepth([1, {}, [nested(deepestInput)], 2], deepestInput)).toBe(false);
});

it("A54 does not recurse: a million levels are refused like any other", () => {
  expect(withinDepth(nested(1_000_000), deepestInput)).toBe(false);
});
