import type { AiAnswer, AiMessage, AiProvider } from "@gadget/ai";
import { describe, expect, it } from "vitest";
import { CompactingHistory } from "./compacting-history.ts";
import { KnownModels, ModelWindow } from "./model-window.ts";

const usage = { inputTokens: 1, outputTokens: 1 };

function setUp(answer: () => AiAnswer) {
  let asked = 0;
  const provider: AiProvider = {
    chat: () => expect.unreachable(),
    generate: () => {
      asked += 1;
      return Promise.resolve(answer());
    },
    describeModel: () => Promise.resolve({ id: "m", contextLength: 16_000 }),
    listModels: () => expect.unreachable(),
    test: () => expect.unreachable(),
    close: () => {},
  };
  const notices: string[] = [];
  const compacted: [string, number][] = [];
  const access = { kind: "openai" as const };
  const history = new CompactingHistory({
    provider,
    model: "m",
    tools: [],
    window: new ModelWindow({ provider, access, model: "m", known: new KnownModels() }),
    mayCut: () => true,
    notice: (level) => notices.push(level),
    summarising: () => (level) => notices.push(level),
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
  const prepare = async (history: CompactingHistory, messages: readonly AiMessage[]) => {
    const prepared = await history.prepare(messages, signal);
    return prepared.ok ? prepared.value : expect.unreachable(prepared.failure.message);
  };

  it("sends a short conversation as it is, and asks nobody", async () => {
    const { history, asked } = setUp(() => summary);
    const messages = conversation(3);
    expect(await prepare(history, messages)).toEqual(messages);
    expect(asked()).toBe(0);
  });

  it("summarises a long one once, and goes on from there", async () => {
    const { history, asked, notices, compacted } = setUp(() => summary);
    const messages = conversation(40);
    const first = await prepare(history, messages);
    expect(first.length).toBeLessThan(messages.length);
    expect(JSON.stringify(first)).toContain("SUMMARY");
    expect(first.at(-1)).toEqual({ role: "user", content: "now" });
    const rounds = asked();
    messages.push({ role: "assistant", content: [{ type: "text", text: "later" }] });
    const second = await prepare(history, messages);
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
    const messages = conversation(26);
    expect(await prepare(history, messages)).toEqual(messages);
    expect(await prepare(history, messages)).toEqual(messages);
    expect(asked()).toBe(1);
    expect(notices).toEqual(["warning"]);
  });

  it("says why, where a conversation neither fits nor could be summarised", async () => {
    const failed: AiAnswer = {
      ok: false,
      failure: { kind: "overloaded", retryable: true, message: "It is busy." },
      message: { role: "assistant", content: [] },
      usage,
    };
    const { history } = setUp(() => failed);
    expect(await history.prepare(conversation(40), signal)).toMatchObject({
      ok: false,
      failure: { kind: "overloaded", message: expect.stringContaining("It is busy.") },
    });
  });
});
