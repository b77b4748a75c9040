import { expect, it } from "vitest";
import { isPlainLine, isText, notText } from "./is-text.ts";

it("text has no NUL and no half of a character pair", () => {
  for (const text of ["", "a\tb\n", "😀", "é", "\uFFFD", "\u0001"]) {
    expect(isText(text), text).toBe(true);
  }
  for (const text of ["\u0000", "a\uD83D", "\uDE00a", "\uDE00\uD83D"]) {
    expect(isText(text), JSON.stringify(text)).toBe(false);
  }
});

it("a plain line shows all that it holds", () => {
  for (const text of ["", "mac of Zoë 😀", "C:\\work", "/srv/a b", "שרת 1"]) {
    expect(isPlainLine(text), text).toBe(true);
  }
  for (const text of ["a\nb", "a\rb", "a\u2028b", "\u001B[2J", "\u0085", "\u0000", "a\uD83D"]) {
    expect(isPlainLine(text), JSON.stringify(text)).toBe(false);
  }
  for (const mark of ["\u202E", "\u2066", "\u2069", "\u200F", "\u061C"]) {
    expect(isPlainLine(`txt.${mark}exe`), JSON.stringify(mark)).toBe(false);
  }
});

it("says where a value holds what is no text, in keys too, however deep it is", () => {
  expect(notText({ a: [{ b: "fine" }, 1, null] })).toBeUndefined();
  expect(notText({ a: [{ b: "fine" }, { c: "\u0000" }] })).toBe("a.1.c");
  expect(notText({ a: { "\u0000": 1 } })).toBe("a");
  let deep: unknown = "\uD800";
  for (let depth = 0; depth < 20_000; depth += 1) {
    deep = [deep];
  }
  expect(notText(deep)).toMatch(/^0\.0\./);
});
