import { expect, it } from "vitest";
import { shorten } from "./shorten.ts";

it("leaves a short text as it is", () => {
  expect(shorten("abc", 3)).toBe("abc");
});

it("keeps head and tail and says how much is missing", () => {
  expect(shorten("0123456789abcdefghij", 10)).toBe(
    "012345\n[... 10 characters left out ...]\nghij",
  );
});

it("does not cut a character in two", () => {
  for (const limit of [50, 51, 52, 53]) {
    expect(shorten("🙂".repeat(100), limit)).not.toMatch(/\p{Surrogate}/u);
  }
});
