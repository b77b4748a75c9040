import { TurnEvent } from "@gadget/api";
import { describe, expect, it } from "vitest";
import { LineWriter } from "./line-writer.ts";
import { plain } from "./style.ts";
import { TurnPrinter } from "./turn-printer.ts";

const head = { turnId: "turn-0001", epoch: 1, at: "2026-01-01T00:00:00.000Z" };

function printed(events: object[], full = false): string {
  let text = "";
  const lines = new LineWriter((piece) => {
    text += piece;
  });
  const printer = new TurnPrinter({ lines, style: plain, full });
  events.forEach((event, index) => {
    printer.print(TurnEvent.parse({ ...head, seq: index + 1, ...event }));
  });
  lines.endLine();
  return text;
}

const text = (partId: string, ...pieces: string[]) => [
  { type: "text:start", partId },
  ...pieces.map((piece) => ({ type: "text:delta", partId, text: piece })),
  { type: "text:end", partId, text: pieces.join("") },
];
const call = (callId: string, name: string, input: object) => [
  { type: "tool:start", callId, name },
  { type: "tool:input", callId, input },
];

describe("TurnPrinter", () => {
  it("prints text as it comes, and only the rest of it at its end", () => {
    const lost = text("a", "One ", "two ", "three.").toSpliced(2, 2);
    expect(printed(lost)).toBe("One two three.\n");
    expect(printed([...text("a", "One."), ...text("b", "Two.")])).toBe("One.\n\nTwo.\n");
  });

  it("tells of something that takes long at its start and its end", () => {
    const notice = { type: "notice", partId: "n", level: "info" };
    const events = [
      { ...notice, phase: "start", text: "Cloning x" },
      { ...notice, phase: "delta", text: "Cloning x: 40%" },
      { ...notice, phase: "end", text: "Cloned x in 5 s." },
    ];
    expect(printed(events)).toBe("· Cloning x\n· Cloned x in 5 s.\n");
  });

  it("prints a call, its output, and how it ended", () => {
    const events = [
      ...call("c", "shell", { command: "make\ntest" }),
      { type: "tool:output", callId: "c", text: "one\ntw" },
      { type: "tool:output", callId: "c", text: "o\n" },
      {
        type: "tool:end",
        callId: "c",
        name: "shell",
        outcome: "failed",
        text: "one\ntwo\n[ended with exit code 2]",
        output: "one\ntwo\n",
        durationMs: 1_200,
      },
    ];
    const lines = ["→ shell make ⏎ test", "  one", "  two"];
    const end = "  ✗ failed · [ended with exit code 2] · 1.2 s";
    expect(printed(events)).toBe([...lines, end, ""].join("\n"));
    // From the log, where the pieces are gone, it looks the same.
    expect(
      printed(
        [events[0], events.at(-1)].map((event) => ({ ...event, input: { command: "make\ntest" } })),
      ),
    ).toBe([...lines, end, ""].join("\n"));
  });

  it("keeps the outputs of calls at the same time apart", () => {
    const end = (callId: string, output: string) => ({
      type: "tool:end",
      callId,
      name: "shell",
      outcome: "finished",
      text: output,
      output,
    });
    const shown = printed([
      ...call("a", "shell", { command: "a" }),
      ...call("b", "shell", { command: "b" }),
      { type: "tool:output", callId: "a", text: "1\n" },
      { type: "tool:output", callId: "b", text: "2\n" },
      end("b", "2\n"),
      end("a", "1\n"),
    ]);
    expect(shown).toBe(
      [
        "→ shell a",
        "",
        "→ shell b",
        "",
        "→ shell (goes on)",
        "  1",
        "",
        "→ shell (goes on)",
        "  2",
        "  ✓",
        "  ✓ shell",
        "",
      ].join("\n"),
    );
  });

  it("shows the first lines of a long result, or all of them", () => {
    const events = [
      ...call("c", "read_file", { path: "a.txt" }),
      {
        type: "tool:end",
        callId: "c",
        name: "read_file",
        outcome: "finished",
        text: Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\n"),
      },
    ];
    expect(printed(events)).toMatch(/ {2}line 10\n {2}… 2 more lines\n {2}✓\n$/);
    expect(printed(events, true)).toMatch(/ {2}line 12\n {2}✓\n$/);
  });

  it("lets no escape sequence of a model or a command through", () => {
    const evil = "\u001B]0;owned\u0007\u001B[2J";
    const shown = printed([
      ...text("a", `say${evil}`),
      ...call("c", "shell", { command: `x${evil}` }),
      { type: "tool:output", callId: "c", text: `out${evil}\n` },
      { type: "question:open", questionId: "question-1", question: `why${evil}` },
      { type: "notice", level: "warning", text: `note${evil}` },
      { type: "subagent:start", childId: "k", parentId: "r", depth: 1, title: `sub${evil}` },
    ]);
    expect(shown).not.toContain("\u001B");
    expect(shown).not.toContain("owned");
  });

  it("tells who answered, what was decided, and which files changed", () => {
    const by = { id: "user-0001", name: "Ada" };
    const shown = printed([
      {
        type: "question:open",
        questionId: "question-1",
        question: "Tea?",
        options: [{ label: "Yes" }],
      },
      { type: "question:closed", questionId: "question-1", answer: "Yes", by },
      { type: "approval:open", approvalId: "approval-1", name: "shell", command: "rm x" },
      { type: "approval:closed", approvalId: "approval-1", decision: "deny", reason: "No.", by },
      { type: "file:changed", file: { path: "a", change: "created", added: 2, removed: 0 } },
      { type: "turn:changed", status: "aborting" },
      { type: "turn:changed", status: "aborting" },
    ]);
    expect(shown.split("\n")).toEqual([
      "? Tea?",
      "  1. Yes",
      "  answered by Ada: Yes",
      "? May it run shell: rm x",
      "  denied by Ada: No.",
      "± created a (+2 -0)",
      "⟳ aborting",
      "",
    ]);
  });

  it("names the subagent whose call it is, and does not mix its text into the answer", () => {
    const shown = printed([
      { type: "subagent:start", childId: "k", parentId: "r", depth: 1, title: "Reader" },
      { type: "text:start", partId: "t", agentId: "k" },
      { type: "text:delta", partId: "t", text: "inner words" },
      { type: "tool:start", callId: "c", name: "grep", agentId: "k" },
      { type: "tool:input", callId: "c", input: { pattern: "x" } },
      {
        type: "subagent:end",
        childId: "k",
        parentId: "r",
        depth: 1,
        outcome: "finished",
        text: "Found it.",
      },
    ]);
    expect(shown).toContain("[Reader] → grep x");
    expect(shown).toContain("✓ subagent Reader: Found it.");
    expect(shown).not.toContain("inner words");
  });
});
