import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

const folder = mkdtempSync(join(tmpdir(), "gadget-diff-"));
afterAll(() => rmSync(folder, { recursive: true }));

function applied(before: string, diff: string): string {
  writeFileSync(join(folder, "f"), before);
  writeFileSync(join(folder, "d"), diff);
  execFileSync("git", ["apply", "--unidiff-zero", "--whitespace=nowarn", "d"], {
    cwd: folder,
    env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
  });
  return readFileSync(join(folder, "f"), "utf8");
}

describe("unifiedDiff", () => {
  it("shows three lines around a change, and counts", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n";
    const after = "1\n2\n3\n4\nfive\n6\n7\n8\n";
    expect(unifiedDiff("a.txt", before, after)).toEqual({
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
      added: 1,
      removed: 1,
    });
  });

  it("names a new file and a missing line end", () => {
    expect(unifiedDiff("n", null, "x").diff).toBe(
      "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
    );
  });

  it("is empty for equal texts", () => {
    expect(unifiedDiff("n", "a\nb", "a\nb").diff).toBe("");
  });

  it("stays quick where everything differs", () => {
    const many = (word: string) =>
      Array.from({ length: 20_000 }, (_, i) => `${word}${i}\n`).join("");
    const start = performance.now();
    expect(unifiedDiff("n", many("a"), many("b")).added).toBe(20_000);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("shows small changes that are far apart in a large file", () => {
    const numbered = Array.from({ length: 20_000 }, (_, line) => `line ${line}\n`);
    const changed = numbered.with(0, "first\n").with(19_999, "last\n");
    const { diff, added, removed } = unifiedDiff("n", numbered.join(""), changed.join(""));
    expect({ added, removed }).toEqual({ added: 2, removed: 2 });
    expect(diff).toContain("@@ -19997,4 +19997,4 @@\n line 19996\n");
  });

  it("A54 is bounded, whatever the texts are", () => {
    const megabyte = 1024 * 1024;
    const texts = [
      "\n".repeat(megabyte),
      `b\n${"\n".repeat(megabyte - 10)}c\n`,
      "a\n".repeat(megabyte / 2),
      "a\nb\n".repeat(megabyte / 4),
      "b\na\nc\n".repeat(15_000),
      "a\nb\n".repeat(20_000),
      "x".repeat(megabyte),
    ];
    const begun = performance.now();
    for (const before of texts) {
      for (const after of texts) {
        const { diff, added, removed } = unifiedDiff("n", before, after);
        expect(diff === "").toBe(before === after);
        expect(added > 0 || removed > 0).toBe(before !== after);
      }
    }
    // 49 of them: without a bound one alone takes longer.
    expect(performance.now() - begun).toBeLessThan(30_000);
    const { diff } = unifiedDiff("n", null, "a\n".repeat(megabyte / 2));
    expect(diff.length).toBeLessThan(200_000);
    expect(diff).toMatch(/\n\\ 474288 more lines are not shown\n$/);
  });

  it("is a patch that git applies, also where all is shown as replaced", () => {
    const word = (letter: string) =>
      Array.from({ length: 2_000 }, (_, line) => `${letter}${line}\n`).join("");
    const before = `same\n${word("a")}end`;
    const after = `same\n${word("b")}end`;
    expect(applied(before, unifiedDiff("f", before, after).diff)).toBe(after);
  });

  it("is a patch that git applies", () => {
    const text = fc
      .tuple(fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n"), { minLength: 1 }), fc.boolean())
      .map(([lines, cut]) => (cut ? `${lines.join("")}end` : lines.join("")));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { diff } = unifiedDiff("f", before, after);
        expect(diff === "" ? before : applied(before, diff)).toBe(after);
      }),
      { numRuns: 40 },
    );
  });
});
