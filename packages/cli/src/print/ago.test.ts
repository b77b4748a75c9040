import { describe, expect, it } from "vitest";
import { ago } from "./ago.ts";

describe("ago", () => {
  it("says how long ago in the largest unit, and never in the future", () => {
    const now = Date.parse("2026-01-01T12:00:00.000Z");
    expect(ago("2026-01-01T12:00:03.000Z", now)).toBe("now");
    expect(ago("2026-01-01T11:59:58.500Z", now)).toBe("1 s ago");
    expect(ago("2026-01-01T11:57:55.000Z", now)).toBe("2 min ago");
    expect(ago("2025-12-30T12:00:00.000Z", now)).toBe("2 d ago");
  });
});
