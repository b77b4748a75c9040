import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../shared/root.mjs";
import { breaks } from "./breaks.mjs";

describe("the breaks of the mutation check", () => {
  it("are fifteen at least, each with its own name", () => {
    expect(breaks.length).toBeGreaterThanOrEqual(15);
    expect(new Set(breaks.map(({ name }) => name)).size).toBe(breaks.length);
  });

  it.each(breaks)("match the source once: $name", ({ file, text, broken, rule, test }) => {
    expect(readFileSync(join(root, file), "utf8").split(text)).toHaveLength(2);
    expect(broken).not.toBe(text);
    expect(readFileSync(join(root, test), "utf8")).toMatch(
      new RegExp(`["'\`][^"'\`]*\\b${rule}\\b`),
    );
  });
});
