import { describe, expect, it } from "vitest";
import { globToRegExp } from "./glob-pattern.ts";
import { IgnoreRules } from "./ignore-rules.ts";

describe("globToRegExp", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", false],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "src/deep/a.ts", true],
    ["src/**", "src/a/b", true],
    ["src/**/a", "src/a", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["[a-c].js", "b.js", true],
    ["[!a-c].js", "b.js", false],
    ["*.{js,ts}", "x.ts", true],
    ["a+b(c).txt", "a+b(c).txt", true],
    ["a+b", "aab", false],
  ])("%s and %s: %s", (glob, path, matches) => {
    expect(globToRegExp(glob).test(path)).toBe(matches);
  });
});

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
  ])("%s (folder: %s): %s", (path, isFolder, ignored) => {
    expect(rules.ignores(path, isFolder)).toBe(ignored);
  });

  it("the nearest file decides", () => {
    const inner = new IgnoreRules("deep/", "!a.log\n/here\n", rules);
    expect(inner.ignores("deep/a.log", false)).toBe(false);
    expect(inner.ignores("deep/b.log", false)).toBe(true);
    expect(inner.ignores("deep/here", false)).toBe(true);
  });
});
