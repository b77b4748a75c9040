import { expect, it } from "vitest";
import { safeCut } from "./safe-cut.ts";

it("cuts where it was told", () => {
  expect([0, 1, 2, 3].map((index) => safeCut("abc", index))).toEqual([0, 1, 2, 3]);
  expect(safeCut("ab", 5)).toBe(5);
});

it("cuts before a character whose halves it would part", () => {
  expect([0, 1, 2, 3, 4, 5].map((index) => safeCut("a🙂🙂", index))).toEqual([0, 1, 1, 3, 3, 5]);
});
