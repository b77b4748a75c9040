import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globMatcher } from "./glob-matcher.ts";

/** What the words of a glob mean, as simply as it can be said; never quick. */
function stands(glob: string, path: string): boolean {
  if (glob === "") {
    return path === "";
  }
  const [char = "", rest] = [glob[0], glob.slice(1)];
  if (glob.startsWith("**/")) {
    const after = glob.slice(3);
    const slash = path.indexOf("/");
    return stands(after, path) || (slash >= 0 && stands(glob, path.slice(slash + 1)));
  }
  if (char === "*") {
    const stays = path !== "" && path[0] !== "/";
    return stands(rest, path) || (stays && stands(glob, path.slice(1)));
  }
  if (char === "[") {
    const end = glob.indexOf("]");
    const inner = glob.slice(1, end);
    const holds = inner.startsWith("!")
      ? !inner.slice(1).includes(path[0] ?? "")
      : inner.includes(path[0] ?? "");
    return path !== "" && path[0] !== "/" && holds && stands(glob.slice(end + 1), path.slice(1));
  }
  const fits = path !== "" && (char === "?" ? path[0] !== "/" : path[0] === char);
  return fits && stands(rest, path.slice(1));
}

describe("globMatcher", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", false],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "src/deep/a.ts", true],
    ["src/**", "src/a/b", true],
    ["src/**", "src", false],
    ["src/**/a", "src/a", true],
    ["**", "a/b", true],
    ["a**b", "a/b", false],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["a?c", "a😀c", true],
    ["[a-c].js", "b.js", true],
    ["[!a-c].js", "b.js", false],
    ["[a&b].ts", "&.ts", true],
    ["[]a].ts", "].ts", true],
    ["[z-a].ts", "b.ts", false],
    ["[[:digit:]x].ts", "7.ts", true],
    ["[\\]].ts", "].ts", true],
    ["[a", "[a", true],
    ["*.{js,ts}", "x.ts", true],
    ["{a,{b,c}}.ts", "c.ts", true],
    ["{a,{b,c}}.ts", "a.ts", true],
    ["{a,b}/{c,d}", "b/c", true],
    ["{src,test}/**/*.ts", "test/a.ts", true],
    ["{a}.ts", "{a}.ts", true],
    ["{a{b,c}", "{ab", true],
    ["{x{a,b}{c,d}", "{xad", true],
    ["\\{a,b}", "{a,b}", true],
    ["a+b(c).txt", "a+b(c).txt", true],
    ["a+b", "aab", false],
    ["\\*", "*", true],
    ["\\*", "a", false],
  ])("%s and %s: %s", (glob, path, matches) => {
    expect(globMatcher(glob)(path)).toBe(matches);
  });

  it("is as the simple reading of it, for every small glob and path", () => {
    const word = fc.constantFrom("a", "b", "*", "?", "/", "**/", "[ab]", "[!a]", "[&b]");
    const glob = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(""));
    const path = fc.array(fc.constantFrom("a", "b", "&", "/"), { maxLength: 10 });
    fc.assert(
      fc.property(glob, path, (text, chars) => {
        // `a**/` and `/**` at the end are read by names here, and by the rules above.
        fc.pre(!/[^/]\*\*|\*\*$/.test(text));
        expect(globMatcher(text)(chars.join(""))).toBe(stands(text, chars.join("")));
      }),
      { numRuns: 3_000 },
    );
  });

  it("takes braces as they stand where a file knows none", () => {
    const matches = globMatcher("{a,b}", { braces: false });
    expect([matches("{a,b}"), matches("a")]).toEqual([true, false]);
  });

  it("refuses braces that stand for too much, with a sentence", () => {
    for (const glob of ["{a,b}".repeat(20), "{,}".repeat(300)]) {
      expect(() => globMatcher(glob)).toThrow("Use fewer braces");
    }
    const open = `{${"{a,".repeat(300)}`;
    expect(globMatcher(open)(open)).toBe(true);
  });

  it("A54 no pattern takes more steps than its length times the path's", () => {
    const names = "a".repeat(255);
    const paths = [names, Array.from({ length: 16 }, () => names).join("/"), "a/".repeat(2_000)];
    const patterns = [
      `${"*a".repeat(400)}*b`,
      `${"**/a/".repeat(180)}b`,
      `**/${"*a".repeat(200)}/**/${"*a".repeat(200)}*b`,
      `{${"*a".repeat(90)}b,${"*a".repeat(90)}c,${"*a".repeat(90)}d}`,
      "[[:".repeat(330),
      "{".repeat(1_000),
    ];
    const begun = performance.now();
    for (const pattern of patterns) {
      const matches = globMatcher(pattern);
      for (const path of paths) {
        expect(matches(path)).toBe(false);
      }
    }
    // A matcher that backtracks needs longer than the world has; this one some milliseconds.
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
