import type { AiAnswer, AiMessage, AiProvider } from "@gadget/ai";
import { describe, expect, it } from "vitest";
import { CompactingHistory } from "./compacting-history.ts";

const usage = { inputTokens: 1, outputTokens: 1 };

function setUp(answer: () => AiAnswer) {
  let asked = 0;
  const provider: AiProvider = {
    chat: () => expect.unreachable(),
    generate: () => {
      asked += 1;
      return Promise.resolve(answer());
    },
    listModels: () => Promise.resolve({ ok: true, value: [{ id: "m", contextLength: 16_000 }] }),
    test: () => expect.unreachable(),
    close: () => {},
  };
  const notices: string[] = [];
  const compacted: [string, number][] = [];
  const history = new CompactingHistory({
    provider,
    model: "m",
    tools: [],
    notice: (level) => notices.push(level),
    onUsage: () => {},
    onCompacted: (text, replaced) => compacted.push([text, replaced]),
  });
  return { history, notices, compacted, asked: () => asked };
}

const summary: AiAnswer = {
  ok: true,
  text: "SUMMARY",
  reason: "stop",
  message: { role: "assistant", content: [{ type: "text", text: "SUMMARY" }] },
  usage,
};

function conversation(pairs: number): AiMessage[] {
  const messages: AiMessage[] = [{ role: "system", content: "instructions" }];
  for (let i = 0; i < pairs; i++) {
    messages.push({ role: "user", content: `question ${i} ${"x".repeat(2_000)}` });
    messages.push({ role: "assistant", content: [{ type: "text", text: `answer ${i}` }] });
  }
  messages.push({ role: "user", content: "now" });
  return messages;
}

describe("CompactingHistory", () => {
  const { signal } = new AbortController();

  it("sends a short conversation as it is, and asks nobody", async () => {
    const { history, asked } = setUp(() => summary);
    const messages = conversation(3);
    expect(await history.prepare(messages, signal)).toEqual(messages);
    expect(asked()).toBe(0);
  });

  it("summarises a long one once, and goes on from there", async () => {
    const { history, asked, notices, compacted } = setUp(() => summary);
    const messages = conversation(40);
    const first = await history.prepare(messages, signal);
    expect(first.length).toBeLessThan(messages.length);
    expect(JSON.stringify(first)).toContain("SUMMARY");
    expect(first.at(-1)).toEqual({ role: "user", content: "now" });
    const rounds = asked();
    messages.push({ role: "assistant", content: [{ type: "text", text: "later" }] });
    const second = await history.prepare(messages, signal);
    expect(second).toEqual([...first, messages.at(-1)]);
    expect(asked()).toBe(rounds);
    expect(notices).toEqual(["info"]);
    // The instructions and the summary stand for what was replaced.
    expect(compacted).toEqual([["SUMMARY", messages.length - second.length + 2]]);
  });

  it("a failed summary leaves everything as it was, and is not tried at every step", async () => {
    const failed: AiAnswer = {
      ok: false,
      failure: { kind: "overloaded", retryable: true, message: "busy" },
      message: { role: "assistant", content: [] },
      usage,
    };
    const { history, asked, notices } = setUp(() => failed);
    const messages = conversation(40);
    expect(await history.prepare(messages, signal)).toEqual(messages);
    expect(await history.prepare(messages, signal)).toEqual(messages);
    expect(asked()).toBe(1);
    expect(notices).toEqual(["warning"]);
  });
});
