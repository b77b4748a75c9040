import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AiAssistantMessage, AiMessage, AiToolCall } from "../api.ts";
import { type RepairedMessage, repairHistory, toolOutcomeTexts } from "./repair-history.ts";

const user = (content: string): AiMessage => ({ role: "user", content });
const call = (id: string, name = "t"): AiToolCall => ({
  type: "toolcall",
  id,
  name,
  arguments: { ok: true, value: {} },
});
const assistant = (...content: AiAssistantMessage["content"]): AiAssistantMessage => ({
  role: "assistant",
  content,
});
const result = (callId: string, content = `result of ${callId}`): AiMessage => ({
  role: "tool",
  callId,
  content,
});
const text = (value: string) => ({ type: "text" as const, text: value });

/** What a strict server would refuse the history for. */
function problemsOf(list: RepairedMessage[]): string[] {
  const problems: string[] = [];
  const demand = (holds: boolean, problem: string) => {
    if (!holds) {
      problems.push(problem);
    }
  };
  const rest = list[0]?.role === "system" ? list.slice(1) : list;
  demand(rest[0]?.role === "user", "does not begin with the user");
  demand(rest.at(-1)?.role !== "assistant", "ends with the assistant");
  let open: string[] = [];
  let before = "";
  for (const message of rest) {
    demand(message.content.length > 0, "an empty message");
    demand(message.role !== "system", "a system message in the middle");
    if (message.role === "tool") {
      demand(open.shift() === message.callId, "a result that is not of the next open call");
    } else {
      demand(open.length === 0, "a call without a result");
      demand(message.role !== before, `${before} twice in a row`);
    }
    if (message.role === "assistant") {
      open = message.content.flatMap((part) => (part.type === "toolcall" ? [part.id] : []));
      demand(new Set(open).size === open.length, "an id twice");
      demand(
        message.content.some((part) => part.type !== "reasoning"),
        "reasoning alone",
      );
    }
    before = message.role;
  }
  demand(open.length === 0, "a call without a result");
  return problems;
}

describe("repairHistory", () => {
  it("leaves a sound history as it is", () => {
    const list = repairHistory([
      { role: "system", content: "Be brief." },
      user("Hi"),
      assistant(text("Looking"), call("1"), call("2")),
      result("1"),
      result("2"),
      assistant(text("Done")),
      user("Thanks"),
    ]);
    expect(problemsOf(list)).toEqual([]);
    expect(list.map(({ role }) => role).join(" ")).toBe(
      "system user assistant tool tool assistant user",
    );
  });

  it("A29 gives a call without a result an honest one: it may have run", () => {
    const list = repairHistory([user("Hi"), assistant(call("1"), call("2")), result("2")]);
    expect(problemsOf(list)).toEqual([]);
    expect(list[2]).toMatchObject({ callId: "1", content: toolOutcomeTexts.unknown });
    expect(list[3]).toMatchObject({ callId: "2", content: "result of 2" });
  });

  it("A29 says that a call never started when it can't have", () => {
    const broken: AiToolCall = {
      ...call("1"),
      arguments: { ok: false, text: '{"a', error: "cut" },
    };
    const list = repairHistory([
      user("Hi"),
      assistant(broken),
      { ...assistant(call("2")), interrupted: true },
    ]);
    expect(problemsOf(list)).toEqual([]);
    expect(list[2]).toMatchObject({ callId: "1", content: toolOutcomeTexts.never_started });
    expect(list[4]).toMatchObject({ callId: "2", content: toolOutcomeTexts.never_started });
  });

  it("A29 puts the outcome in words when a result is empty", () => {
    const outcomes = ["finished", "never_started", "unknown"] as const;
    const list = repairHistory([
      user("Hi"),
      assistant(...outcomes.map((outcome) => call(outcome))),
      ...outcomes.map(
        (outcome): AiMessage => ({ role: "tool", callId: outcome, content: "", outcome }),
      ),
    ]);
    expect(list.slice(2).map((message) => message.content)).toEqual(
      outcomes.map((outcome) => toolOutcomeTexts[outcome]),
    );
  });

  it("A29 drops results without a call and second results", () => {
    const list = repairHistory([
      result("0"),
      user("Hi"),
      assistant(call("1")),
      result("1", "first"),
      result("1", "second"),
      result("9"),
    ]);
    expect(problemsOf(list)).toEqual([]);
    expect(list.filter(({ role }) => role === "tool")).toMatchObject([{ content: "first" }]);
  });

  it("A29 keeps results with their own call when ids repeat", () => {
    const list = repairHistory([
      user("Hi"),
      assistant(call("0")),
      result("0", "old"),
      assistant(call("0"), call("0")),
      result("0", "new"),
      result("0", "newer"),
    ]);
    expect(problemsOf(list)).toEqual([]);
    expect(list.flatMap((message) => (message.role === "tool" ? [message.content] : []))).toEqual([
      "old",
      "new",
      "newer",
    ]);
  });

  it("moves results to their calls and what was said meanwhile behind them", () => {
    const list = repairHistory([user("Hi"), assistant(call("1")), user("Stop"), result("1")]);
    expect(problemsOf(list)).toEqual([]);
    expect(list.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  it("drops reasoning that would stand alone or is of an earlier turn", () => {
    const reasoning = { type: "reasoning" as const, text: "Hm", field: "reasoning" };
    const list = repairHistory([
      user("Hi"),
      assistant(reasoning),
      assistant(reasoning, call("1")),
      result("1"),
      user("Go on"),
      assistant(reasoning, call("2")),
      result("2"),
    ]);
    expect(problemsOf(list)).toEqual([]);
    const kept = list.flatMap((message) =>
      message.role === "assistant" ? [message.content.map((part) => part.type)] : [],
    );
    expect(kept).toEqual([["toolcall"], ["reasoning", "toolcall"]]);
  });

  it("A30 tells the model that it was interrupted", () => {
    const list = repairHistory([
      user("Hi"),
      { ...assistant(text("Half a sen")), interrupted: true },
      user("Go on"),
    ]);
    expect(problemsOf(list)).toEqual([]);
    expect(JSON.stringify(list.at(-1))).toContain("was interrupted");
    expect(JSON.stringify(list.at(-1))).toContain("Go on");
  });

  it("lets user and assistant take turns", () => {
    const list = repairHistory([
      assistant(text("Welcome")),
      user("One"),
      user("Two"),
      { role: "system", content: "A notice" },
      assistant(text("a")),
      assistant(text("b")),
      user(""),
    ]);
    expect(problemsOf(list)).toEqual([]);
    expect(list.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
  });

  it("shows the images of a tool's result in a message of the user", () => {
    const image = { type: "image" as const, mediaType: "image/png", data: "AAAA" };
    const list = repairHistory([
      user("Hi"),
      assistant(call("1", "screenshot")),
      { role: "tool", callId: "1", content: [text("Here"), image] },
    ]);
    expect(problemsOf(list)).toEqual([]);
    expect(list.at(-2)).toMatchObject({ role: "tool", content: "Here" });
    expect(list.at(-1)).toMatchObject({ role: "user", content: [{ type: "text" }, image] });
  });

  it("replaces what servers refuse: half characters and names with other signs", () => {
    const list = repairHistory([user("a\uD83Cb"), assistant(call("1", "read file/now"))]);
    expect(JSON.stringify(list)).toContain("a\uFFFDb");
    expect(JSON.stringify(list)).toContain("read_file_now");
  });

  it("A29 no history whatsoever becomes one that a server refuses", () => {
    const id = fc.constantFrom("", "1", "2", "3");
    const words = fc.constantFrom("", " ", "a", "b\uD800");
    const part = fc.oneof(
      words.map(text),
      words.map((value) => ({ type: "reasoning" as const, text: value })),
      id.map((value) => call(value, value)),
    );
    const message: fc.Arbitrary<AiMessage> = fc.oneof(
      words.map((content) => ({ role: "system" as const, content })),
      words.map(user),
      fc
        .record({ content: fc.array(part, { maxLength: 4 }), interrupted: fc.boolean() })
        .map((value) => ({ role: "assistant" as const, ...value })),
      fc.tuple(id, words).map(([callId, content]) => result(callId, content)),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const before = JSON.stringify(messages);
        expect(problemsOf(repairHistory(messages))).toEqual([]);
        expect(JSON.stringify(messages)).toBe(before);
      }),
      { numRuns: 3_000 },
    );
  });
});
