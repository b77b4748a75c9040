import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { collect, streamed, textOf, typesOf } from "./scene.ts";
import { providerFor, openai as wire } from "./wires.ts";

const { signal } = new AbortController();
let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

type Choice = { delta?: object; finish_reason?: string };

async function answerTo(...choices: Choice[]) {
  const chunks = choices.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  server.play(streamed(wire, ": hello\n\n", ...chunks, wire.tail));
  return collect(providerFor(wire, server.url), signal);
}

const stop = { delta: {}, finish_reason: "stop" };
const piece = (
  index: number | undefined,
  id: string | undefined,
  name: string,
  given: unknown,
) => ({
  delta: { tool_calls: [{ index, id, function: { name, arguments: given } }] },
});

describe("what OpenAI-compatible servers send", () => {
  it.each([
    [{ reasoning_content: "Hm" }],
    [{ reasoning: "Hm" }],
    [{ reasoning: "Hm", reasoning_details: [{ type: "reasoning.text", text: "Hm" }] }],
    [{ reasoning_details: [{ type: "reasoning.summary", summary: "Hm" }] }],
    [{ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] }],
  ])("reads reasoning in %j", async (delta) => {
    const events = await answerTo({ delta }, { delta: { content: "Yes" } }, stop);
    expect(events.find((event) => event.type === "reasoning:end")).toMatchObject({ text: "Hm" });
    expect(textOf(events)).toBe("Yes");
  });

  it("reads content as a list of parts", async () => {
    const events = await answerTo({ delta: { content: [{ type: "text", text: "Yes" }] } }, stop);
    expect(textOf(events)).toBe("Yes");
  });

  it.each([
    [
      "interleaved",
      [
        piece(0, "a", "x", '{"n":'),
        piece(1, "b", "y", '{"n":'),
        piece(0, undefined, "", "1}"),
        piece(1, undefined, "", "2}"),
      ],
    ],
    ["all with index 0", [piece(0, "a", "x", '{"n":1}'), piece(0, "b", "y", '{"n":2}')]],
    [
      "with the id in every piece",
      [piece(0, "a", "x", '{"n":'), piece(0, "a", "x", "1}"), piece(1, "b", "y", '{"n":2}')],
    ],
    ["as objects", [piece(0, "a", "x", { n: 1 }), piece(1, "b", "y", { n: 2 })]],
    ["without ids", [piece(0, "", "x", '{"n":1}'), piece(1, undefined, "y", '{"n":2}')]],
  ])("reads parallel calls %s", async (_, choices) => {
    const events = await answerTo(...choices, stop);
    const calls = events.filter((event) => event.type === "toolcall:end");
    expect(calls).toMatchObject([
      { name: "x", arguments: { ok: true, value: { n: 1 } } },
      { name: "y", arguments: { ok: true, value: { n: 2 } } },
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "tool_calls" });
  });

  it("A12 hands arguments cut off at the length limit on as a failure to parse", async () => {
    const cut = { delta: {}, finish_reason: "length" };
    for (const text of ['{"n":', ""]) {
      const events = await answerTo(piece(0, "a", "x", text), cut);
      expect(events.find((event) => event.type === "toolcall:end")).toMatchObject({
        arguments: { ok: false, text },
      });
    }
  });

  it("keeps the thought signature of a call", async () => {
    const extra_content = { google: { thought_signature: "sig" } };
    const call = { id: "a", extra_content, function: { name: "x", arguments: "{}" } };
    const events = await answerTo({ delta: { tool_calls: [call] } }, stop);
    expect(events.at(-1)).toMatchObject({ message: { content: [{ extra: { extra_content } }] } });
  });

  it("reports a call without a name", async () => {
    const events = await answerTo(piece(0, "a", "", "{}"), stop);
    expect(events.at(-1)).toMatchObject({ type: "failure", failure: { kind: "protocol" } });
    expect(typesOf(events)).toEqual(["failure"]);
  });

  it("reports a refusal, by filter or by the model", async () => {
    const filtered = await answerTo({ delta: {}, finish_reason: "content_filter" });
    expect(filtered.at(-1)).toMatchObject({ type: "failure", failure: { kind: "refused" } });
    const refused = await answerTo(
      { delta: { refusal: "I " } },
      { delta: { refusal: "won't" } },
      stop,
    );
    expect(refused.at(-1)).toMatchObject({ failure: { kind: "refused", detail: "I won't" } });
  });

  it("reads a whole answer from a server that does not stream", async () => {
    server.play(({ response }) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(wire.whole("Hello"));
    });
    const events = await collect(providerFor(wire, server.url), signal);
    expect(textOf(events)).toBe("Hello");
    expect(events.at(-1)).toMatchObject({ type: "end", usage: { inputTokens: 11 } });
  });
});
