import { describe, expect, it } from "vitest";
import type { AiMessage } from "../api.ts";
import { measureContext } from "./measure-context.ts";

const messages: AiMessage[] = [
  { role: "user", content: "x".repeat(370) },
  { role: "assistant", content: [{ type: "text", text: "x".repeat(370) }] },
];

describe("measureContext", () => {
  it("estimates before a server has counted, tools included", () => {
    const bare = measureContext({ messages, contextLength: 1_000 });
    expect(bare).toMatchObject({ tokens: 208, estimated: true, fraction: 0.208 });
    const tool = { name: "t", description: "d".repeat(370), input: { type: "object" } };
    const { tokens } = measureContext({ messages, tools: [tool], contextLength: 1_000 });
    expect(tokens).toBeGreaterThan(300);
  });

  it("takes the server's count, and estimates only what came since", () => {
    const counted = { usage: { inputTokens: 500, outputTokens: 100 }, messages: 2 };
    expect(measureContext({ messages, contextLength: 1_000, counted })).toMatchObject({
      tokens: 600,
      estimated: false,
    });
    const longer: AiMessage[] = [...messages, { role: "user", content: "x".repeat(37) }];
    expect(measureContext({ messages: longer, contextLength: 1_000, counted })).toMatchObject({
      tokens: 614,
      estimated: true,
    });
  });

  it("does not trust counts of another history, nor estimated ones", () => {
    const usage = { inputTokens: 500, outputTokens: 100 };
    const other = measureContext({
      messages,
      contextLength: 1_000,
      counted: { usage, messages: 3 },
    });
    expect(other.tokens).toBe(208);
    const guess = { usage: { ...usage, estimated: true }, messages: 2 };
    expect(measureContext({ messages, contextLength: 1_000, counted: guess }).tokens).toBe(208);
  });
});
