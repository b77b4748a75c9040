import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numbered, randomLog } from "../test/random-log.ts";
import { CallId, QuestionId } from "./id.ts";
import { applyEvent, applyEvents, emptyTranscript } from "./transcript.ts";
import type { TurnEvent, TurnEventBody } from "./turn-event.ts";

function start(log: readonly TurnEvent[]) {
  const turnId = log[0]?.turnId;
  if (turnId === undefined) {
    throw new Error("an empty log");
  }
  return emptyTranscript(turnId);
}

function show(bodies: TurnEventBody[]) {
  const log = numbered(bodies);
  return applyEvents(start(log), log).transcript;
}

const callId = CallId.parse("call-1");

describe("the transcript", () => {
  it("is idempotent by seq: events that come twice, or again from the start, change nothing", () => {
    fc.assert(
      fc.property(randomLog, fc.array(fc.nat()), (log, repeats) => {
        const once = applyEvents(start(log), log).transcript;
        let twice = start(log);
        for (const event of log) {
          twice = applyEvent(twice, event).transcript;
          for (const repeat of repeats) {
            const earlier = log[repeat % event.seq];
            if (earlier) {
              twice = applyEvent(twice, earlier).transcript;
            }
          }
        }
        expect(twice).toEqual(once);
      }),
    );
  });

  it("reports a gap and leaves the transcript as it was", () => {
    const log = numbered([
      { type: "text:start", partId: "a" },
      { type: "text:delta", partId: "a", text: "one" },
      { type: "text:delta", partId: "a", text: "two" },
    ]);
    const [one, , three] = log;
    if (!one || !three) {
      throw new Error("three events");
    }
    const first = applyEvent(start(log), one).transcript;
    const result = applyEvent(first, three);
    expect(result.applied).toBe("gap");
    expect(result.transcript).toBe(first);
    expect(applyEvents(start(log), [one, three]).applied).toBe("gap");
  });

  it("A30 keeps partial text and partial output when the turn is aborted", () => {
    const transcript = show([
      { type: "text:start", partId: "a" },
      { type: "text:delta", partId: "a", text: "half a sen" },
      { type: "tool:start", callId, name: "shell" },
      { type: "tool:input", callId, input: { command: "make" } },
      { type: "tool:output", callId, text: "building" },
      { type: "turn:changed", status: "aborted" },
    ]);
    expect(transcript.status).toBe("aborted");
    expect(transcript.parts[0]).toMatchObject({ text: "half a sen", open: false });
    expect(transcript.parts[1]).toMatchObject({ output: "building", outcome: "unknown" });
  });

  it("A29 a call that never ran is said to have never started when the turn ends", () => {
    const transcript = show([
      { type: "tool:start", callId, name: "shell" },
      { type: "tool:input", callId, delta: '{"comm' },
      { type: "turn:changed", status: "interrupted" },
    ]);
    expect(transcript.parts[0]).toMatchObject({ outcome: "never_started", inputText: '{"comm' });
  });

  it("A22 closes an open question with the turn's end", () => {
    const questionId = QuestionId.parse("question-1");
    const transcript = show([
      { type: "question:open", questionId, question: "Which one?" },
      { type: "turn:changed", status: "aborted" },
    ]);
    expect(transcript.parts[0]).toMatchObject({ open: false, question: "Which one?" });
  });

  it("A7 takes nothing after the terminal event", () => {
    const log = numbered([
      { type: "turn:changed", status: "aborted" },
      { type: "text:start", partId: "late" },
    ]);
    const result = applyEvents(start(log), log);
    expect(result.transcript.parts).toEqual([]);
    expect(result.transcript.lastSeq).toBe(1);
  });

  it("A7 says that it must be fetched again when the turn ended below what was shown", () => {
    const log = numbered([
      { type: "text:start", partId: "a" },
      { type: "text:delta", partId: "a", text: "never stored" },
    ]);
    const shown = applyEvents(start(log), log).transcript;
    const [first] = numbered([{ type: "turn:changed", status: "interrupted" }]);
    if (!first) {
      throw new Error("one event");
    }
    const result = applyEvent(shown, { ...first, seq: 2 });
    expect(result.applied).toBe("rewound");
    expect(result.transcript).toMatchObject({ status: "interrupted", lastSeq: 2 });
  });

  it("shows every kind of part", () => {
    const transcript = show([
      { type: "reasoning:start", partId: "r" },
      { type: "reasoning:delta", partId: "r", text: "hm" },
      { type: "reasoning:end", partId: "r", text: "hm." },
      { type: "subagent:start", childId: "c", parentId: "root", depth: 1, title: "look" },
      {
        type: "subagent:orphan",
        childId: "c",
        parentId: "root",
        depth: 1,
        reason: "late",
        text: "x",
      },
      { type: "file:changed", file: { path: "a.ts", change: "created", added: 1, removed: 0 } },
      { type: "notice", level: "warning", text: "careful" },
      { type: "usage", usage: { inputTokens: 1, outputTokens: 2 } },
    ]);
    expect(transcript.parts.map((part) => part.kind)).toEqual([
      "reasoning",
      "subagent",
      "file",
      "notice",
    ]);
    expect(transcript.parts[0]).toMatchObject({ text: "hm.", open: false });
    expect(transcript.parts[1]).toMatchObject({ state: "orphaned", reason: "late" });
    expect(transcript.usage).toEqual({ inputTokens: 1, outputTokens: 2 });
  });
});
