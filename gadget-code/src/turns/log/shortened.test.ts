import {
  CallId,
  emptyTranscript,
  linesIn,
  newId,
  type Part,
  type Transcript,
  TurnId,
} from "@gadget/api";
import { describe, expect, it } from "vitest";
import { shortened } from "./shortened.ts";

function tool(change: Partial<Extract<Part, { kind: "tool" }>>): Part {
  const call = { kind: "tool", id: CallId.parse("call-1"), name: "shell" } as const;
  return { ...call, state: "ended", output: "", ...change };
}

function transcript(...parts: Part[]): Transcript {
  return { ...emptyTranscript(newId(TurnId)), status: "finished", parts };
}

describe("a first look at a turn", () => {
  it("has the end of what a tool printed, and says that it was cut", () => {
    const long = tool({ output: `${"x".repeat(9_000)}end`, result: "y".repeat(9_000) });
    const { parts } = shortened(transcript(long, tool({ output: "short" })));
    expect(parts).toMatchObject([{ outputCut: true }, { output: "short" }]);
    expect(JSON.stringify(parts[0]).length).toBeLessThan(6_000);
    expect(JSON.stringify(parts[0])).toContain("xend");
    expect(parts[1]).not.toHaveProperty("outputCut");
  });

  it("says how many lines of it are missing, and that arguments are", () => {
    const output = "a line of some length\n".repeat(1_000);
    const input = { command: "echo ".repeat(1_000) };
    const [part] = shortened(transcript(tool({ output, input }))).parts;
    const shown = part?.kind === "tool" ? part.output : "";
    expect(part).toMatchObject({ inputCut: true, outputCutLines: 1_000 - linesIn(shown) });
    expect(shortened(transcript(tool({ output: "x", input: {} }))).parts[0]).not.toHaveProperty(
      "inputCut",
    );
  });

  it("has the beginning of long arguments and diffs", () => {
    const input = { path: "src/a.ts", content: "z".repeat(50_000) };
    const { parts } = shortened(transcript(tool({ input, diff: "+".repeat(50_000) })));
    expect(parts).toMatchObject([{ input: { path: "src/a.ts" }, outputCut: true }]);
    expect(JSON.stringify(parts[0]).length).toBeLessThan(6_000);
  });

  it("never parts the two halves of a character", () => {
    const text = `x${"🙂".repeat(9_000)}x`;
    const input = { content: text };
    const { parts } = shortened(transcript(tool({ input, output: text, diff: text })));
    expect(JSON.stringify(parts)).not.toMatch(/\\ud[89a-f]/);
  });

  it("has the latest parts of a very long turn, and counts the others", () => {
    const text = (index: number): Part => {
      return { kind: "text", id: `p${index}`, text: "w".repeat(1_000), open: false };
    };
    const whole = transcript(...Array.from({ length: 1_000 }, (_, index) => text(index)));
    const { parts, partsCut = 0 } = shortened(whole);
    expect(parts.length + partsCut).toBe(1_000);
    expect(parts.at(-1)?.id).toBe("p999");
    expect(JSON.stringify(parts).length).toBeLessThan(201_000);
    const running: Transcript = { ...whole, status: "processing" };
    expect(shortened(running).parts).toHaveLength(1_000);
  });
});
