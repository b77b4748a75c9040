import { describe, expect, it } from "vitest";
import { completeMention, mentionAt } from "./file-mention.ts";

describe("@file", () => {
  it("is seen just before the caret", () => {
    expect(mentionAt("look at @src/li", 15)).toEqual({ start: 8, wanted: "src/li" });
    expect(mentionAt("@", 1)).toEqual({ start: 0, wanted: "" });
  });

  it("is not an address of mail, nor a mention that has ended", () => {
    expect(mentionAt("ada@example", 11)).toBeUndefined();
    expect(mentionAt("@src/a.ts and", 13)).toBeUndefined();
  });

  it("is completed in place, and goes on after a folder", () => {
    const text = "see @sr now";
    const mention = mentionAt(text, 7);
    expect(mention && completeMention(text, 7, mention, "src", true)).toEqual({
      text: "see @src/ now",
      caret: 9,
    });
    expect(mention && completeMention(text, 7, mention, "src/a.ts", false).text).toBe(
      "see @src/a.ts  now",
    );
  });
});
