import { describe, expect, it } from "vitest";
import { ago, duration } from "./duration.ts";

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

describe("ago", () => {
  it("says how long ago in the largest unit, and never in the future", () => {
    const now = Date.parse("2026-01-01T12:00:00.000Z");
    expect(ago("2026-01-01T12:00:03.000Z", now)).toBe("now");
    expect(ago("2026-01-01T11:59:58.500Z", now)).toBe("1 s ago");
    expect(ago("2026-01-01T11:57:55.000Z", now)).toBe("2 min ago");
    expect(ago("2025-12-30T12:00:00.000Z", now)).toBe("2 d ago");
  });
});
