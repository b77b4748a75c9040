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
