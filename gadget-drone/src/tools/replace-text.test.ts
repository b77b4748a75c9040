import * as fc from "fast-check";
import { expect, it } from "vitest";
import { placesOf } from "./places-of.ts";
import { replaceText } from "./replace-text.ts";

it("replaces as splitting and joining would, for short pieces and long ones", () => {
  const text = fc.array(fc.constantFrom("a", "b", "ab".repeat(300)), { maxLength: 12 });
  fc.assert(
    fc.property(
      text,
      fc.array(fc.constantFrom("a", "b", "ab".repeat(300)), { minLength: 1, maxLength: 3 }),
      (parts, pieces) => {
        const [whole, piece] = [parts.join(""), pieces.join("")];
        expect(placesOf(whole, piece, Infinity)).toHaveLength(whole.split(piece).length - 1);
        const replaced = replaceText(whole, piece, "new", true);
        fc.pre(whole.includes(piece));
        expect(replaced).toEqual({ ok: true, text: whole.split(piece).join("new") });
      },
    ),
  );
});

it("A54 a long piece is looked for in one go, and what would be too much is refused", () => {
  const text = "a".repeat(5_000_000);
  const begun = performance.now();
  expect(replaceText(text, `b${"a".repeat(400_000)}`, "c", true)).toMatchObject({ ok: false });
  expect(replaceText(text, "a", "b".repeat(100_000), true)).toEqual({
    ok: false,
    why: "That is too much at once. Give a longer oldText.",
  });
  expect(replaceText("\n".repeat(5_000_000), "x", "y", false)).toMatchObject({ ok: false });
  expect(performance.now() - begun).toBeLessThan(5_000);
});
