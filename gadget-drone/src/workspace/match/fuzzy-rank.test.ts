import { describe, expect, it } from "vitest";
import { fuzzyRank } from "./fuzzy-rank.ts";

function ranked(typed: string, paths: string[]): string[] {
  const rankOf = fuzzyRank(typed);
  const fitting = paths.flatMap((path) => {
    const rank = rankOf(path);
    return rank === undefined ? [] : [{ path, rank }];
  });
  return fitting.sort((a, b) => a.rank - b.rank).map(({ path }) => path);
}

describe("fuzzyRank", () => {
  it("puts the name before its folders, and what stands together before what is scattered", () => {
    const paths = [
      "a/p/p.md",
      "app/main.ts",
      "docs/aspip.md",
      "happen.ts",
      "my-app.ts",
      "src/app.ts",
      "src/app",
      "other.ts",
    ];
    expect(ranked("app", paths)).toEqual([
      "src/app",
      "src/app.ts",
      "my-app.ts",
      "happen.ts",
      "app/main.ts",
      "docs/aspip.md",
      "a/p/p.md",
    ]);
  });

  it("takes letters in either case, over folders, and heeds no blanks", () => {
    expect(ranked("CHSVW", ["src/pages/ChatSessionView.tsx"])).toHaveLength(1);
    expect(ranked("pages/chat", ["src/pages/ChatSessionView.tsx"])).toHaveLength(1);
    expect(ranked("app test", ["src/app.test.ts"])).toHaveLength(1);
    expect(ranked("tsa", ["src/a.ts"])).toEqual([]);
  });

  it("finds all where nothing was typed, the shortest first", () => {
    expect(ranked("", ["src/b.ts", "a.ts"])).toEqual(["a.ts", "src/b.ts"]);
  });

  it("A54 answers for a hostile path as quickly as for any other", () => {
    const begun = performance.now();
    for (let time = 0; time < 1_000; time++) {
      expect(fuzzyRank(`${"a".repeat(199)}b`)("a".repeat(4_096))).toBeUndefined();
    }
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
