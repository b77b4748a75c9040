import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AiProviderConfig, createProvider } from "../src/index.ts";
import { collect, textOf, typesOf } from "./scene.ts";

interface Live {
  name: string;
  /** The variables that it needs. */
  needs: string;
  ready: boolean;
  config: AiProviderConfig;
  model: string;
}

const { OPENAI_API_KEY, OPENAI_BASE_URL, OLLAMA_HOST, LIVE_OPENAI_MODEL, LIVE_OLLAMA_MODEL } =
  process.env;

const providers: Live[] = [
  {
    name: "OpenAI",
    needs: "OPENAI_API_KEY and LIVE_OPENAI_MODEL",
    ready: Boolean(OPENAI_API_KEY && LIVE_OPENAI_MODEL),
    config: {
      kind: "openai",
      ...(OPENAI_BASE_URL && { baseUrl: OPENAI_BASE_URL }),
      ...(OPENAI_API_KEY && { apiKey: OPENAI_API_KEY }),
    },
    model: LIVE_OPENAI_MODEL ?? "",
  },
  {
    name: "Ollama",
    needs: "LIVE_OLLAMA_MODEL, and OLLAMA_HOST if it is not local",
    ready: Boolean(LIVE_OLLAMA_MODEL),
    config: { kind: "ollama", ...(OLLAMA_HOST && { baseUrl: OLLAMA_HOST }) },
    model: LIVE_OLLAMA_MODEL ?? "",
  },
];

const tools = [
  {
    name: "get_weather",
    description: "The weather in a city",
    input: z.object({ city: z.string() }),
  },
];

/** By hand only, against the real thing: docs/providers.md has the command. */
describe.each(providers)("$name, live (skipped without $needs)", ({ ready, config, model }) => {
  const { signal } = new AbortController();
  const skip = !ready;

  it("lists the model", { skip }, async () => {
    const report = await createProvider(config).test({ signal, model });
    expect(report).toMatchObject({ ok: true, value: { modelFound: true } });
  });

  it("answers with text and counts", { skip }, async () => {
    const events = await collect(createProvider(config), signal, undefined, {
      model,
      messages: [{ role: "user", content: "Answer with the word ok." }],
    });
    expect(textOf(events).toLowerCase()).toContain("ok");
    expect(typesOf(events).slice(-2)).toEqual(["usage", "end"]);
  });

  it("calls a tool", { skip }, async () => {
    const events = await collect(createProvider(config), signal, undefined, {
      model,
      tools,
      messages: [{ role: "user", content: "What is the weather in Graz? Use the tool." }],
    });
    expect(events.find((event) => event.type === "toolcall:end")).toMatchObject({
      name: "get_weather",
      arguments: { ok: true },
    });
  });

  it("A13 stops in mid-stream", { skip }, async () => {
    const controller = new AbortController();
    const events = await collect(
      createProvider(config),
      controller.signal,
      () => controller.abort(),
      { model, messages: [{ role: "user", content: "Count to five hundred." }] },
    );
    expect(events.at(-1)).toMatchObject({ failure: { kind: "aborted" } });
  });
});
