import { describe, expect, it } from "vitest";
import { argumentLimits, parseToolArguments } from "./parse-tool-arguments.ts";

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

  it("A54 refuses what is too deep, too long or too much before anything is built of it", () => {
    const { depth, values, characters } = argumentLimits;
    const nested = (levels: number) => `{"x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(parseToolArguments(nested(depth), false)).toMatchObject({ ok: true });
    const error = expect.stringContaining(`more than ${depth} levels`);
    for (const levels of [depth + 1, 5_000, 400_000]) {
      expect(parseToolArguments(nested(levels), false)).toMatchObject({ ok: false, error });
    }
    expect(parseToolArguments(JSON.stringify(nested(depth + 1)), false)).toMatchObject({ error });
    // In strings anything may stand.
    const brackets = `{"x":"${'[{\\"'.repeat(1_000)}"}`;
    expect(parseToolArguments(brackets, false)).toMatchObject({ ok: true });
    expect(parseToolArguments(`{"x":[${"1,".repeat(values)}1]}`, false)).toMatchObject({
      ok: false,
      error: expect.stringContaining(`more than ${values} values`),
    });
    const long = parseToolArguments(`{"x":"${"x".repeat(characters)}"}`, false);
    expect(long).toMatchObject({ ok: false, error: expect.stringContaining("smaller steps") });
    expect(JSON.stringify(long).length).toBeLessThan(5_000);
  });

  it.each(["[1]", "null", "7", "{", "path: a"])("gives %s back as a value", (text) => {
    expect(parseToolArguments(text, false)).toMatchObject({ ok: false, text });
  });
});
