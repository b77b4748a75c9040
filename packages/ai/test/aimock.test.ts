import { LLMock } from "@copilotkit/aimock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { AiMessage } from "../src/index.ts";
import { collect, textOf, typesOf } from "./scene.ts";
import { providerFor, type Wire, wires } from "./wires.ts";

const tools = [
  { name: "get_weather", description: "Weather", input: z.object({ city: z.string() }) },
];
const question: AiMessage[] = [{ role: "user", content: "weather in Graz?" }];

/** A server that we did not write, so that both sides can't share a misunderstanding. */
describe.each(wires)("$kind against aimock", (wire: Wire) => {
  let mock: LLMock;
  beforeEach(async () => {
    mock = await LLMock.create({ port: 0, host: "127.0.0.1", chunkSize: 3 });
  });
  afterEach(() => mock.stop());

  it("streams text", async () => {
    mock.onMessage("weather", { content: "Sunny, with ☀️ and 25 °C." });
    const { signal } = new AbortController();
    const events = await collect(providerFor(wire, mock.url), signal, undefined, {
      messages: question,
    });
    expect(textOf(events)).toBe("Sunny, with ☀️ and 25 °C.");
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "stop" });
    expect(typesOf(events).filter((type) => type === "text:delta").length).toBeGreaterThan(3);
  });

  it("calls a tool, and answers from its result", async () => {
    mock.on(
      { userMessage: "weather", hasToolResult: false },
      { toolCalls: [{ name: "get_weather", arguments: '{"city":"Graz"}' }] },
    );
    mock.on({ userMessage: "weather", hasToolResult: true }, { content: "25 °C in Graz." });
    const { signal } = new AbortController();
    const provider = providerFor(wire, mock.url);
    const asked = await collect(provider, signal, undefined, { messages: question, tools });
    const end = asked.at(-1);
    const message = end?.type === "end" ? end.message : undefined;
    const call = message?.content.find((part) => part.type === "toolcall");
    expect(end).toMatchObject({ type: "end", reason: "tool_calls" });
    expect(call).toMatchObject({
      name: "get_weather",
      arguments: { ok: true, value: { city: "Graz" } },
    });
    const answered = await collect(provider, signal, undefined, {
      tools,
      messages: [
        ...question,
        ...(message ? [message] : []),
        { role: "tool", callId: call?.id ?? "", content: "25 °C" },
      ],
    });
    expect(textOf(answered)).toBe("25 °C in Graz.");
  });

  it("retries what the mock refuses once", async () => {
    mock.onMessage("weather", { content: "Sunny." });
    mock.nextRequestError(503, { message: "overloaded" });
    const { signal } = new AbortController();
    const events = await collect(providerFor(wire, mock.url), signal, undefined, {
      messages: question,
    });
    expect(events[0]).toMatchObject({ type: "backoff:start", failure: { kind: "overloaded" } });
    expect(textOf(events)).toBe("Sunny.");
  });

  it("A12 stops in the middle of a call's arguments without a call", async () => {
    mock.on(
      { userMessage: "weather" },
      {
        content: "Looking it up",
        toolCalls: [{ name: "get_weather", arguments: '{"city":"Graz"}' }],
      },
      { latency: 5 },
    );
    const controller = new AbortController();
    const events = await collect(
      providerFor(wire, mock.url),
      controller.signal,
      (event) => {
        if (event.type === "toolcall:start") {
          controller.abort();
        }
      },
      { messages: question, tools },
    );
    expect(events.at(-1)).toMatchObject({ type: "failure", failure: { kind: "aborted" } });
    expect(typesOf(events)).not.toContain("toolcall:end");
    expect(events.at(-1)).toMatchObject({ message: { content: [{ text: "Looking it up" }] } });
  });
});
