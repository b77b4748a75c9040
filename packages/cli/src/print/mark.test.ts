import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { turnMark } from "./mark.ts";
import { plain, styleFor } from "./style.ts";

const output = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });

describe("turnMark", () => {
  it("has an icon and a colour for every state", () => {
    const style = styleFor(output(true), {});
    const states = ["queued", "processing", "aborting", "finished", "aborted", "error"] as const;
    expect(states.map((status) => turnMark(status, style))).toEqual([
      "\u001B[90m○\u001B[0m",
      "\u001B[34m⟳\u001B[0m",
      "\u001B[33m⟳\u001B[0m",
      "\u001B[32m✓\u001B[0m",
      "\u001B[33m⊘\u001B[0m",
      "\u001B[31m✗\u001B[0m",
    ]);
    expect(turnMark("interrupted", style)).toBe("\u001B[38;5;208m⚠\u001B[0m");
  });
});

describe("styleFor", () => {
  it("colours a terminal, and not a pipe, a dumb terminal or one with NO_COLOR", () => {
    expect(styleFor(output(true), { TERM: "xterm" })).not.toBe(plain);
    expect(styleFor(output(false), {})).toBe(plain);
    expect(styleFor(output(true), { TERM: "dumb" })).toBe(plain);
    expect(styleFor(output(true), { NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(plain);
    expect(styleFor(output(true), { NO_COLOR: "" })).not.toBe(plain);
    expect(styleFor(output(false), { FORCE_COLOR: "1" })).not.toBe(plain);
  });
});
