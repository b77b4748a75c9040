import { describe, expect, it } from "vitest";
import { priceOf } from "./price.ts";

describe("priceOf", () => {
  const prices = [
    { input: 1, output: 2 },
    { model: "big", input: 10, output: 20, cachedInput: 1 },
  ];

  it("is the model's own price, else the one for all models, else none", () => {
    expect(priceOf(prices, "big")).toEqual({ input: 10, output: 20, cachedInput: 1 });
    expect(priceOf(prices, "small")).toEqual({ input: 1, output: 2 });
    expect(priceOf(prices.slice(1), "small")).toBeUndefined();
    expect(priceOf(undefined, "big")).toBeUndefined();
  });
});
