import { BSONRegExp } from "bson";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CommandError } from "../../bson/command-error.ts";
import { compilePattern } from "./compile-pattern.ts";

const finds = (pattern: string, text: string, options = ""): boolean =>
  compilePattern(new BSONRegExp(pattern, options)).test(text);

function refusal(pattern: string, options = ""): CommandError {
  try {
    compilePattern(new BSONRegExp(pattern, options));
  } catch (error) {
    if (error instanceof CommandError) {
      return error;
    }
    throw error;
  }
  throw new Error(`not refused: ${pattern}`);
}

describe("a regular expression", () => {
  // Pattern, options, what it finds, what it does not: as PCRE answers.
  it.each<[string, string, string[], string[]]>([
    ["ab|cd", "", ["xaby", "cd"], ["ac", ""]],
    ["^a.c$", "", ["abc", "a\rc", "abc\n"], ["a\nc", "xabc", "abc\n\n", "abcd"]],
    ["^a.c$", "s", ["a\nc"], ["ac"]],
    ["^b$", "m", ["a\nb\nc", "b", "a\nb"], ["ab\n", "a\rb"]],
    ["a\n^", "m", ["a\nb"], ["a\n"]],
    ["\\Ab\\z", "m", ["b"], ["a\nb", "b\n"]],
    ["b\\Z", "", ["b", "b\n"], ["b\n\n", "bc"]],
    ["(a|b)*c{2,3}d?e+", "", ["cce", "abaccce", "ccdee"], ["ce", "cc", "ccdd"]],
    ["^x{2}$", "", ["xx"], ["x", "xxx"]],
    ["a{2,}b", "", ["aab", "aaaab"], ["ab"]],
    ["a{,b", "", ["a{,b"], ["ab"]],
    ["a}b]", "", ["a}b]"], ["ab"]],
    ["^a+?b$", "", ["aab"], ["b"]],
    ["[]a]", "", ["]", "a"], ["b", "[]"[0] ?? ""]],
    ["[^]a]", "", ["b"], ["]", "a"]],
    ["^[a-c\\-x]$", "", ["b", "-", "x"], ["d"]],
    ["^[a-]$", "", ["a", "-"], ["b"]],
    ["^[[:alpha:][:digit:]_]$", "", ["a", "7", "_"], ["-", "é"]],
    ["^[[:^alpha:]]$", "", ["7", "é"], ["a"]],
    ["^[[:upper:]]$", "i", ["a", "A"], ["1"]],
    ["^[\\d\\h]$", "", ["1", "\t", " "], ["a", "\n"]],
    ["^[\\Q]-\\E]$", "", ["]", "-"], ["\\"]],
    ["^[\\x41\\b]$", "", ["A", "\b"], ["b", "x"]],
    ["^\\v$", "", ["\n", "\v", "\f", "\r", "\x85", "\u2028"], ["v", "\t"]],
    ["^\\h$", "", ["\t", " ", "\xa0", "\u3000"], ["h", "\n"]],
    ["^\\s$", "", [" ", "\t", "\v", "\n"], ["\xa0", "\u2028"]],
    ["^\\w$", "", ["a", "_", "7"], ["é", "ſ"]],
    ["^[\\w]$", "i", ["k"], ["\u212a", "ſ"]],
    ["^[\\W]$", "i", ["\u212a", "ſ"], ["k"]],
    ["^\\N$", "s", ["a"], ["\n"]],
    ["^\\x4$", "", ["\x04"], ["x4"]],
    ["^\\x$", "", ["\0"], ["x"]],
    ["^\\x{1F600}$", "", ["😀"], ["x"]],
    ["^\\o{101}\\0101?$", "", ["A\b1", "A\b"], ["A"]],
    ["^\\cA\\a\\e$", "", ["\x01\x07\x1b"], ["cA"]],
    ["^\\Qa.b\\E+$", "", ["a.b", "a.bbb"], ["axb", "a.ba.b"]],
    ["\\Qa|b", "", ["a|b"], ["a"]],
    ["^a\\Eb$", "", ["ab"], ["aEb"]],
    ["^.$", "", ["😀", "é"], ["ab"]],
    ["^K$", "i", ["k", "\u212a"], ["x"]],
    ["^É$", "i", ["é"], ["e"]],
    ["^[^k]$", "i", ["x"], ["K", "\u212a"]],
    ["(?i)ab", "", ["AB"], ["a"]],
    ["^a(?i)b$", "", ["aB", "ab"], ["AB"]],
    ["^(a(?i)b|c)D$", "", ["aBD", "CD"], ["aBd", "AbD"]],
    ["^(?i:a)b$", "", ["Ab"], ["AB"]],
    ["^(?i)a(?-i)b$", "", ["Ab"], ["AB"]],
    ["^(?s).(?-s).$", "", ["\na"], ["a\n\n", "\n\n\n"]],
    ["^(?P<one>a)(?<two>b)(?'three'c)(?:d)$", "", ["abcd"], ["abc"]],
    ["a b # c\n d", "x", ["abd"], ["a b"]],
    ["^a\\ [ #]$", "x", ["a  ", "a #"], ["a"]],
    ["a (?#none) + b", "x", ["aab"], ["a b"]],
    ["a(?#b)c", "", ["ac"], ["abc"]],
    ["\\bcat\\b", "", ["a cat.", "cat"], ["cats", "cat_"]],
    ["\\Bat", "", ["cat"], ["at"]],
    ["(a*)*b", "", ["b", "aab"], ["a"]],
    ["(|a)+$", "", ["", "a"], []],
    ["", "", ["", "a"], []],
  ])("%j with %j finds what PCRE finds", (pattern, options, found, missed) => {
    expect(found.filter((text) => !finds(pattern, text, options))).toEqual([]);
    expect(missed.filter((text) => finds(pattern, text, options))).toEqual([]);
  });

  it.each([
    ["a++", "possessive"],
    ["a{2}+", "possessive"],
    ["(?>a)", "atomic"],
    ["(?=a)", "lookahead"],
    ["(?!a)", "lookahead"],
    ["(?<=a)", "lookbehind"],
    ["(?<!a)", "lookbehind"],
    ["(?|a|b)", "branch reset"],
    ["(a)\\1", "backreference"],
    ["(?<n>a)\\k<n>", "backreference"],
    ["(a)\\g1", "backreference"],
    ["(?P<n>a)(?P=n)", "backreference"],
    ["(?R)", "recursion"],
    ["(a)(?1)", "recursion"],
    ["(a)(?-1)", "recursion"],
    ["(?<n>a)(?&n)", "recursion"],
    ["(?P<n>a)(?P>n)", "recursion"],
    ["(a)(?(1)b|c)", "conditional"],
    ["(*UTF8)a", "verb"],
    ["(?C1)a", "callout"],
    ["(?J)a", "(?J"],
    ["(?xx)a", "group"],
    ["(?^i)a", "(?^"],
    ["\\pL", "\\p"],
    ["\\p{Lu}", "\\p"],
    ["\\PL", "\\P"],
    ["[\\pL]", "\\p"],
    ["a\\Rb", "\\R"],
    ["[\\R]", "\\R"],
    ["\\X", "\\X"],
    ["\\C", "\\C"],
    ["\\Ga", "\\G"],
    ["a\\Kb", "\\K"],
    ["\\N{U+41}", "\\N"],
    ["\\uFFFF", "\\u"],
    ["\\L", "\\L"],
    ["\\i", "\\i"],
    ["[\\1]", "\\1"],
    ["\\", "at end"],
    ["\\x{zz}", "braces"],
    ["\\x{d800}", "braces"],
    ["(", "parenthesis"],
    [")", "parenthesis"],
    ["[a", "missing terminating ]"],
    ["[]", "missing terminating ]"],
    ["[z-a]", "range"],
    ["[a-\\d]", "range"],
    ["[\\d-z]", "range"],
    ["[[:nope:]]", "POSIX"],
    ["[[.a.]]", "POSIX"],
    ["*a", "quantifier"],
    ["a**", "quantifier"],
    ["a{2}{3}", "quantifier"],
    ["^*", "quantifier"],
    ["a{3,2}", "out of order"],
    ["a{70000}", "too big"],
    ["a{,3}", "{,3}"],
    ["(a{300}){300}", "too large"],
    ["((){65535}){65535}".repeat(2) + "(".repeat(300), "nested"],
    ["(?<n>a)(?<n>b)", "same name"],
    ["a".repeat(40_000), "too long"],
  ])("%j is refused by name", (pattern, named) => {
    expect(refusal(pattern)).toMatchObject({ code: 51091 });
    expect(refusal(pattern).message).toContain(named);
  });

  it("with an option that is none is refused", () => {
    expect(refusal("a", "l").code).toBe(51108);
  });

  it("takes no more time where others need all ways through it", () => {
    const text = "a".repeat(2_000);
    const started = performance.now();
    expect(finds("^(a+)+$", `${text}!`)).toBe(false);
    expect(finds("^(a|a)*b$", text)).toBe(false);
    expect(finds("(a*)*(a*)*(a*)*b", text)).toBe(false);
    expect(finds("(x+x+)+y", "x".repeat(2_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("gives up with an error where even one way is too long", () => {
    let random = 1;
    const bits = Array.from({ length: 400_000 }, () => {
      random = (random * 48_271) % 2_147_483_647;
      return random % 2 === 0 ? "a" : "b";
    });
    const started = performance.now();
    expect(() => finds("(a|b)*a(a|b){200}c", bits.join(""))).toThrow(
      /Error occurred while executing the regular expression/,
    );
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("finds what JavaScript finds, where both mean the same", () => {
    const leaf = fc.constantFrom("a", "b", "[ab]", "[^a]", "\\w", "\\b", "ab", "c?");
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(${a}|${b})`),
        fc
          .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "{2,}", "*?"))
          .map(([a, quantifier]) => `(?:${a})${quantifier}`),
        tie("pattern").map((a) => `^${a}`),
      ),
    }));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        expect(finds(source, subject)).toBe(new RegExp(source, "u").test(subject));
      }),
      { numRuns: 2_000 },
    );
  });

  it("knows the text that every match begins with", () => {
    const prefix = (pattern: string, options = ""): string =>
      compilePattern(new BSONRegExp(pattern, options)).prefix;
    expect(prefix("^abc")).toBe("abc");
    expect(prefix("\\Aa\\.b.c")).toBe("a.b");
    expect(prefix("^\\Qa.b\\E+")).toBe("a.");
    expect(prefix("^ab*")).toBe("a");
    expect(prefix("^a(?#x)?b")).toBe("");
    expect(prefix("^a|b")).toBe("");
    expect(prefix("abc")).toBe("");
    expect(prefix("^abc", "i")).toBe("");
    expect(prefix("^abc", "m")).toBe("");
  });
});
