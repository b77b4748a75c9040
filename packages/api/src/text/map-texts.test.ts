import { expect, it } from "vitest";
import { mapTexts } from "./map-texts.ts";

it("changes every text, however deep, and nothing else", () => {
  const value = { a: "x", list: ["y", 1, null, { deep: "z" }], flag: true };
  expect(mapTexts(value, (text) => text.toUpperCase())).toEqual({
    a: "X",
    list: ["Y", 1, null, { deep: "Z" }],
    flag: true,
  });
});
