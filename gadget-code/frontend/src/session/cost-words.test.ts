import { describe, expect, it } from "vitest";
import { costWords } from "./cost-words.ts";

describe("costWords", () => {
  it("has cents, and two digits where cents would hide it", () => {
    expect(costWords({ amount: 12.345 })).toBe("$12.35");
    expect(costWords({ amount: 0.1 })).toBe("$0.10");
    expect(costWords({ amount: 0.004231 })).toBe("$0.0042");
  });

  it("marks what was estimated, and says nothing of nothing", () => {
    expect(costWords({ amount: 1.5, estimated: true })).toBe("≈ $1.50");
    expect(costWords({ amount: 0 })).toBeUndefined();
  });
});
