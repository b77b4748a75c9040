import { describe, expect, it } from "vitest";
import { countMatches, fileLines, looksFailed, namesIn } from "./tool-result.ts";

describe("namesIn", () => {
  it.each([
    ["a line each", "src/\nREADME.md\n", ["src/", "README.md"]],
    ["sizes behind the names", "README.md  1.2 kB\nsrc/\t4 entries", ["README.md", "src/"]],
    ["bullets", "- src/\n- a b.md", ["src/", "a b.md"]],
    ["a tree", "├── src/\n└── a.md", ["src/", "a.md"]],
    ["JSON", '["a.md","src/"]', ["a.md", "src/"]],
    ["JSON objects", '{"entries":[{"name":"a.md"}]}', ["a.md"]],
    ["a note in brackets", "a.md\n[3 more not shown]", ["a.md"]],
    ["nothing", "", []],
    ["nothing, in words", "(The folder is empty.)", []],
  ])("reads a listing with %s", (_, listing, names) => {
    expect(namesIn(listing)).toEqual(names);
  });
});

describe("fileLines", () => {
  it.each([
    "1\t# A\n2\tb\n[7 more lines]",
    "1\t# A\n2\t\n3\tb\n",
    "   1→# A\n   2→b",
    "# A\n\nb\n",
  ])("reads %j", (shown) => {
    expect(fileLines(shown)).toEqual(["# A", "b"]);
  });
});

describe("countMatches", () => {
  it("counts lines with a place in front", () => {
    expect(countMatches("a.ts:1:x\na.ts:20: y\nNo more matches")).toBe(2);
  });
});

describe("looksFailed", () => {
  it.each([
    "Error: no such file",
    "Denied by the user",
    "The call was cancelled by the user.",
    "This tool call never started: nothing was run and nothing was changed.",
    "The outcome of this tool call is unknown: it may have run in part or in full.",
    'There is no file "a.md". list_files shows what is there.',
    "a.md was not changed: the old text does not stand in it.",
  ])("sees that “%s” is a failure", (result) => {
    expect(looksFailed(result)).toBe(true);
  });

  it.each(["Wrote a.md", "README.md\nerrors.md", "errors.md\nsrc/"])("sees none in %j", (result) =>
    expect(looksFailed(result)).toBe(false),
  );
});
