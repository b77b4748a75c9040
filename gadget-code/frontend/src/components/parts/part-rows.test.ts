import { CallId, type Part } from "@gadget/api";
import { describe, expect, it } from "vitest";
import { lookAroundWords, partRows } from "./part-rows.ts";

const tool = (name: string): Part => ({
  kind: "tool",
  id: CallId.parse("call"),
  name,
  state: "ended",
  output: "",
});
const text: Part = { kind: "text", id: "t", text: "hello", open: false };

describe("the rows of a turn", () => {
  it("folds neighbours that look around, and nothing else", () => {
    const parts = [tool("list_files"), tool("read_file"), text, tool("grep"), tool("shell")];
    expect(partRows(parts).map((row) => row.parts.length)).toEqual([2, 1, 1, 1]);
  });

  it("keeps a row's identity while parts are added", () => {
    const parts = [text, tool("read_file")];
    const before = partRows(parts).map(({ key }) => key);
    const after = partRows([...parts, tool("grep"), text]).map(({ key }) => key);
    expect(after.slice(0, 2)).toEqual(before);
  });

  it("shows the latest of a provider's retries", () => {
    const notice = (id: string, code?: string): Part => ({
      kind: "notice",
      id,
      level: "info",
      text: id,
      ...(code && { code }),
    });
    const parts = [notice("a", "retry"), notice("b", "retry"), notice("c"), notice("d")];
    expect(partRows(parts).map((row) => row.parts.map(({ id }) => id))).toEqual([
      ["b"],
      ["c"],
      ["d"],
    ]);
  });

  it("says what was looked at", () => {
    const parts = [tool("read_file"), tool("read_file"), tool("glob"), tool("grep")];
    expect(lookAroundWords(parts)).toBe("2 reads, 2 searches");
  });
});
