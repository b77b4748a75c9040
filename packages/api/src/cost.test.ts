import { describe, expect, it } from "vitest";
import { costOf } from "./cost.ts";

describe("costOf", () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 500_000 };

  it("counts per million tokens", () => {
    expect(costOf(usage, { input: 3, output: 15 })).toEqual({ amount: 10.5 });
  });

  it("counts cached tokens once, at their own price if there is one", () => {
    const cached = { ...usage, cachedInputTokens: 800_000 };
    expect(costOf(cached, { input: 3, output: 15, cachedInput: 0.5 }).amount).toBeCloseTo(8.5);
    expect(costOf(cached, { input: 3, output: 15 }).amount).toBeCloseTo(10.5);
  });

  it("says where the tokens are an estimate", () => {
    const price = { input: 1, output: 1 };
    expect(costOf({ ...usage, estimated: true }, price).estimated).toBe(true);
  });
});
