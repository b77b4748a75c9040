import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type AiMessage, createProvider } from "../src/index.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { collect, refused, streamed } from "./scene.ts";
import { ollama, openai, providerFor, wires } from "./wires.ts";

const never = new AbortController().signal;
const image = { type: "image" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
const messages: AiMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm", field: "reasoning_content" },
      { type: "text", text: "Looking." },
      {
        type: "toolcall",
        id: "c1",
        name: "look",
        arguments: { ok: true, value: { at: 1 } },
        extra: { extra_content: { google: { thought_signature: "sig" } } },
      },
      { type: "toolcall", id: "c2", name: "look", arguments: { ok: false, text: "{a", error: "" } },
    ],
  },
  { role: "tool", callId: "c1", content: "a cat" },
];
const tools = [{ name: "look", description: "Looks", input: z.object({ at: z.number() }) }];

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

async function requestOf(kind: "openai" | "ollama", options = {}, config = {}): Promise<unknown> {
  const wire = kind === "openai" ? openai : ollama;
  server.play(streamed(wire, wire.finish(), wire.tail));
  await collect(providerFor(wire, server.url, config), never, undefined, {
    messages,
    tools,
    ...options,
  });
  expect(server.received.at(-1)?.path).toBe(wire.chatPath);
  return JSON.parse(server.received.at(-1)?.body ?? "");
}

describe("the request to an OpenAI-compatible server", () => {
  it("has the history, repaired, the tools and the parameters", async () => {
    const parameters = { temperature: 0.5, topP: 0.9, maxOutputTokens: 99, stop: ["x"], seed: 7 };
    expect(
      await requestOf("openai", {
        toolChoice: "none",
        parameters: { ...parameters, reasoningEffort: "low", contextLength: 5 },
      }),
    ).toEqual({
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 99,
      stop: ["x"],
      seed: 7,
      reasoning_effort: "low",
      tool_choice: "none",
      tools: [
        {
          type: "function",
          function: {
            name: "look",
            description: "Looks",
            parameters: expect.objectContaining({ type: "object", required: ["at"] }),
          },
        },
      ],
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
          ],
        },
        {
          role: "assistant",
          content: "Looking.",
          reasoning_content: "Hm",
          tool_calls: [
            {
              id: "c1",
              type: "function",
              function: { name: "look", arguments: '{"at":1}' },
              extra_content: { google: { thought_signature: "sig" } },
            },
            {
              id: "c2",
              type: "function",
              function: { name: "look", arguments: '{"not_json":"{a"}' },
            },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "a cat" },
        { role: "tool", tool_call_id: "c2", content: expect.stringContaining("never started") },
      ],
    });
  });

  it("has no empty list of tools", async () => {
    const body = await requestOf("openai", { tools: [], toolChoice: "auto" });
    expect(body).not.toHaveProperty("tools");
    expect(body).not.toHaveProperty("tool_choice");
  });
});

describe("the request to Ollama", () => {
  it("has the history, the tools, the parameters, and always num_ctx", async () => {
    const body = await requestOf(
      "ollama",
      { parameters: { reasoningEffort: "high", maxOutputTokens: 99 } },
      { keepAlive: "10m" },
    );
    expect(body).toMatchObject({
      model: "m",
      stream: true,
      think: "high",
      keep_alive: "10m",
      truncate: false,
      shift: false,
      options: { num_ctx: 16_384, num_predict: 99 },
      tools: [{ function: { name: "look" } }],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "What is this?", images: ["iVBORw0KGgo="] },
        {
          role: "assistant",
          content: "Looking.",
          thinking: "Hm",
          tool_calls: [{ function: { name: "look", arguments: { at: 1 } } }, {}],
        },
        { role: "tool", tool_name: "look", content: "a cat" },
        { role: "tool", tool_name: "look" },
      ],
    });
  });

  it("takes num_ctx from the parameters, then from the provider, and reports it", async () => {
    const parameters = { contextLength: 4_096 };
    expect(await requestOf("ollama", { parameters })).toMatchObject({
      options: { num_ctx: 4_096 },
    });
    expect(await requestOf("ollama", {}, { contextLength: 32_768 })).toMatchObject({
      options: { num_ctx: 32_768 },
    });
    server.play(streamed(ollama, ollama.finish()));
    const events = await collect(providerFor(ollama, server.url), never);
    expect(events.at(-1)).toMatchObject({ usage: { contextLength: 16_384 } });
  });

  it("sends no tools when they must not be called, for want of a word for it", async () => {
    expect(await requestOf("ollama", { toolChoice: "none" })).not.toHaveProperty("tools");
  });

  it("never reads a file whose path stands in the place of an image", async () => {
    const path = { ...image, data: "/etc/hostname" };
    const body = await requestOf("ollama", { messages: [{ role: "user", content: [path] }] });
    expect(body).toMatchObject({
      messages: [{ images: ["/etc/hostname"] }],
    });
  });
});

describe("listing models", () => {
  it("reads what OpenAI-compatible servers say of theirs", async () => {
    server.play(
      refused(
        200,
        JSON.stringify({
          data: [
            { id: "zeta" },
            { id: "models/gemini", context_length: 1_000 },
            { id: "alpha", max_model_len: 32_768, supported_parameters: ["tools"] },
            { id: "groq", context_window: 2_000 },
            { id: "llama", meta: { n_ctx_train: 40_960, n_ctx: 8_192 } },
            { name: "no id" },
          ],
        }),
      ),
    );
    const provider = createProvider({ kind: "openai", baseUrl: server.url });
    expect(await provider.listModels({ signal: never })).toEqual({
      ok: true,
      value: [
        { id: "alpha", contextLength: 32_768, tools: true },
        { id: "gemini", contextLength: 1_000 },
        { id: "groq", contextLength: 2_000 },
        { id: "llama", contextLength: 8_192 },
        { id: "zeta" },
      ],
    });
    expect(server.received[0]?.path).toBe("/v1/models");
  });

  it("marks Ollama's models that have no tools", async () => {
    server.play(({ path, body, response }) => {
      response.setHeader("content-type", "application/json");
      if (path === "/api/tags") {
        response.end(
          JSON.stringify({ models: ["qwen3", "gemma", "gone"].map((model) => ({ model })) }),
        );
      } else if (body.includes("gone")) {
        response.statusCode = 404;
        response.end('{"error":"model not found"}');
      } else {
        const capabilities = body.includes("qwen3")
          ? ["completion", "tools", "thinking"]
          : ["completion", "vision"];
        response.end(JSON.stringify({ capabilities, model_info: { "x.context_length": 40_960 } }));
      }
    });
    const provider = createProvider({ kind: "ollama", baseUrl: server.url });
    expect(await provider.listModels({ signal: never })).toEqual({
      ok: true,
      value: [
        { id: "qwen3", contextLength: 40_960, tools: true, reasoning: true, images: false },
        { id: "gemma", contextLength: 40_960, tools: false, reasoning: false, images: true },
        { id: "gone" },
      ],
    });
  });

  it.each(wires)("tests address, key and model of $kind", async (wire) => {
    const provider = providerFor(wire, server.url);
    server.play(refused(200, wire.modelList("m", "n")));
    expect(await provider.test({ signal: never, model: "m" })).toMatchObject({
      ok: true,
      value: { modelFound: true },
    });
    expect(await provider.test({ signal: never, model: "x" })).toMatchObject({
      ok: true,
      value: { modelFound: false },
    });
    server.play(refused(401, wire.errorBody("bad key")));
    expect(await provider.test({ signal: never })).toMatchObject({
      ok: false,
      failure: { kind: "unauthenticated" },
    });
    server.play(refused(200, "not json"));
    expect(await provider.test({ signal: never })).toMatchObject({
      ok: false,
      failure: { kind: "protocol" },
    });
    const before = server.received.length;
    server.play(refused(500, "{}"));
    expect(await provider.test({ signal: never })).toMatchObject({ ok: false });
    expect(server.received.length).toBe(before + 1);
  });

  it.each(wires)("asks the model when a $kind server lists none", async (wire) => {
    server.play(({ path, response, ...rest }) => {
      const play =
        path === wire.chatPath
          ? streamed(wire, wire.text("ok"), wire.finish(), wire.tail)
          : refused(404, "nothing here");
      return play({ path, response, ...rest });
    });
    const report = await providerFor(wire, server.url).test({ signal: never, model: "m" });
    expect(report).toMatchObject({ ok: true, value: { models: [], modelFound: true } });
  });
});
