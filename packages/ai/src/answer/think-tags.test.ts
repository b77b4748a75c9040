import { describe, expect, it } from "vitest";
import { ThinkTags } from "./think-tags.ts";

function read(text: string, size: number) {
  const tags = new ThinkTags();
  const told = { reasoning: "", text: "" };
  const add = (piece: { reasoning: string; text: string }) => {
    told.reasoning += piece.reasoning;
    told.text += piece.text;
  };
  for (let at = 0; at < text.length; at += size) {
    add(tags.push(text.slice(at, at + size)));
  }
  add(tags.rest());
  return told;
}

describe("ThinkTags", () => {
  it.each([1, 2, 5, 100])("tells thoughts from text in pieces of %s", (size) => {
    expect(read("\n<think>a < b </ c</think>\n\nHello", size)).toEqual({
      reasoning: "a < b </ c",
      text: "Hello",
    });
    expect(read("Use <think> tags", size)).toEqual({ reasoning: "", text: "Use <think> tags" });
    expect(read("<thin air>", size)).toEqual({ reasoning: "", text: "<thin air>" });
    expect(read("<think>cut off </thi", size)).toEqual({ reasoning: "cut off </thi", text: "" });
    expect(read("<thi", size)).toEqual({ reasoning: "", text: "<thi" });
    expect(read("  ", size)).toEqual({ reasoning: "", text: "  " });
  });
});
