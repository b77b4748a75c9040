import { CallId, type PartOf } from "@gadget/api";
import { describe, expect, it } from "vitest";
import { toolTitle } from "./tool-title.ts";

const call = (change: Partial<PartOf<"tool">>): PartOf<"tool"> => ({
  kind: "tool",
  id: CallId.parse("call"),
  name: "shell",
  state: "running",
  output: "",
  ...change,
});

describe("a tool's title", () => {
  it("is a verb for the state and the argument that says most", () => {
    expect(toolTitle(call({ input: { command: "npm test\necho done" } }))).toEqual({
      verb: "Running",
      detail: "npm test",
    });
    expect(
      toolTitle(call({ name: "grep", state: "ended", input: { path: ".", pattern: "TODO" } })),
    ).toEqual({
      verb: "Searched",
      detail: "TODO",
    });
  });

  it("reads an argument that is still being written", () => {
    const inputText = '{"command":"echo \\"hi\\"\\nsleep 1';
    expect(toolTitle(call({ state: "writing", inputText })).detail).toBe('echo "hi"');
    expect(toolTitle(call({ state: "writing", inputText: '{"comm' })).detail).toBe("");
  });

  it("calls a tool that it does not know by its name", () => {
    expect(toolTitle(call({ name: "mcp_thing", input: null }))).toEqual({
      verb: "mcp_thing",
      detail: "",
    });
  });
});
