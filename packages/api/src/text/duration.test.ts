import { describe, expect, it } from "vitest";
import { duration } from "./duration.ts";

describe("duration", () => {
  it.each([
    [0, "0 ms"],
    [41.4, "41 ms"],
    [999.9, "1000 ms"],
    [3_250, "3.2 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
    [3_780_000, "1 h 3 min"],
    [200_000_000, "2 d"],
  ])("says %d ms as %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
