import { describe, expect, it } from "vitest";
import { leftOutMarker, linesIn, withoutMiddle } from "./left-out.ts";

describe("a log without its middle", () => {
  it("says how many lines and characters are missing", () => {
    const log = Array.from({ length: 100 }, (_, at) => `line ${at}\n`).join("");
    const short = withoutMiddle(log, 100);
    expect(short).toMatch(/^line 0\n[^]*line 99\n$/);
    expect(short).toContain("characters left out");
    expect(linesIn(short) - 2).toBe(100);
  });

  it("counts on what was left out before", () => {
    const once = `a\nb\n${leftOutMarker(1_000, 9_000)}c\nd\n`;
    const twice = withoutMiddle(once, 6);
    expect(twice).toMatch(/\[\.\.\. 100\d lines, 90\d\d characters left out/);
    expect(twice.match(/left out/g)).toHaveLength(1);
  });

  it("holds no half of a character", () => {
    for (const length of [10, 12, 14]) {
      expect(withoutMiddle("🙂".repeat(100), length)).not.toMatch(/\p{Surrogate}/u);
      expect(withoutMiddle(`a${"🙂".repeat(100)}b`, length)).not.toMatch(/\p{Surrogate}/u);
    }
  });

  it("is the log itself where that is short", () => {
    expect(withoutMiddle("short\n", 100)).toBe("short\n");
    expect(linesIn("short\n")).toBe(1);
  });
});
