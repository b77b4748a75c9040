import { describe, expect, it } from "vitest";
import { Breath } from "../../breath.ts";
import { IgnoreRules } from "./ignore-rules.ts";

const breath = new Breath(new AbortController().signal);

describe("IgnoreRules", () => {
  const rules = new IgnoreRules(
    "",
    "# comment\n*.log\n/only-here\nbuild/\ndocs/*.txt\n!keep.log\n",
  );
  it.each([
    ["a.log", false, true],
    ["deep/a.log", false, true],
    ["deep/keep.log", false, false],
    ["only-here", false, true],
    ["deep/only-here", false, false],
    ["build", true, true],
    ["build", false, false],
    ["docs/a.txt", false, true],
    ["docs/deep/a.txt", false, false],
    ["node_modules", true, true],
    [".git", true, true],
  ])("%s (folder: %s): %s", async (path, isFolder, ignored) => {
    expect(await rules.ignores(path, isFolder, breath)).toBe(ignored);
  });

  it("the nearest file decides", async () => {
    const inner = new IgnoreRules("deep/", "!a.log\n/here\n", rules);
    expect(await inner.ignores("deep/a.log", false, breath)).toBe(false);
    expect(await inner.ignores("deep/b.log", false, breath)).toBe(true);
    expect(await inner.ignores("deep/here", false, breath)).toBe(true);
  });

  it.each([
    ["trailing  ", "trailing", true],
    ["kept\\ ", "kept ", true],
    ["\\#name", "#name", true],
    ["\\!name", "!name", true],
    ["{a,b}", "a", false],
    ["{a,b}", "{a,b}", true],
    ["[a&b]", "&", true],
    ["/", "a", false],
    ["a/**/c", "a/b/b/c", true],
  ])("%s and %s: %s, as git reads it", async (rule, path, ignored) => {
    expect(await new IgnoreRules("", rule).ignores(path, false, breath)).toBe(ignored);
  });

  it("A54 rules that no person wrote are bounded, and it is said", async () => {
    const spaces = `${" ".repeat(100_000)}x`;
    const many = "*a".repeat(400);
    const text = [spaces, "b", ...Array.from({ length: 10_000 }, () => many)].join("\n");
    const found = new IgnoreRules("", text);
    expect(found.problem).toBe("5002 of its lines are more than 5000 or longer than 1000");
    expect(await found.ignores("b", false, breath)).toBe(true);
  });

  it("A54 others have the thread while many rules look at a long name", async () => {
    const text = Array.from({ length: 5_000 }, () => `${"*a".repeat(100)}b`).join("\n");
    const controller = new AbortController();
    const looking = new IgnoreRules("", text).ignores(
      "a".repeat(255),
      false,
      new Breath(controller.signal),
    );
    setImmediate(() => controller.abort(new Error("enough")));
    await expect(looking).rejects.toThrow("enough");
  });
});
