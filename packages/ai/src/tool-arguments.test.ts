import { describe, expect, it } from "vitest";
import { parseToolArguments } from "./tool-arguments.ts";

describe("parseToolArguments", () => {
  it("reads an object, also an encoded one, and nothing as no arguments", () => {
    expect(parseToolArguments('{"a":1}', false)).toEqual({ ok: true, value: { a: 1 } });
    expect(parseToolArguments('"{\\"a\\":1}"', false)).toEqual({ ok: true, value: { a: 1 } });
    expect(parseToolArguments(" ", false)).toEqual({ ok: true, value: {} });
  });

  it("A12 never makes a call of arguments that were cut off", () => {
    expect(parseToolArguments("", true).ok).toBe(false);
    expect(parseToolArguments('{"path":"a","content":"b', true)).toMatchObject({
      ok: false,
      text: '{"path":"a","content":"b',
      error: expect.stringContaining("length limit"),
    });
  });

  it.each(["[1]", "null", "7", "{", "path: a"])("gives %s back as a value", (text) => {
    expect(parseToolArguments(text, false)).toMatchObject({ ok: false, text });
  });
});
