import { Agent } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProvider } from "../src/index.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { collect, refused, silent, streamed } from "./scene.ts";
import { ollama, providerFor } from "./wires.ts";

const never = new AbortController().signal;

describe("what is known of one model", () => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await startModelServer();
  });
  afterEach(() => server.close());

  const openai = (config = {}) =>
    createProvider({ kind: "openai", baseUrl: server.url, ...config }).describeModel({
      signal: never,
      model: "m",
    });
  const listed = (...models: object[]) => refused(200, JSON.stringify({ data: models }));

  it("is what the server lists of it", async () => {
    server.play(listed({ id: "other", meta: { n_ctx: 1 } }, { id: "m", context_window: 4_096 }));
    expect(await openai()).toEqual({ id: "m", contextLength: 4_096 });
  });

  it("is that of the only model there is, by whatever name it is asked for", async () => {
    server.play(listed({ id: "/models/a.gguf", meta: { n_ctx: 8_192 } }));
    expect(await openai()).toEqual({ id: "m", contextLength: 8_192 });
  });

  it("is what a person has set, before everything else", async () => {
    server.play(listed({ id: "m", context_window: 4_096 }));
    expect(await openai({ contextLength: 2_000 })).toEqual({ id: "m", contextLength: 2_000 });
  });

  it("is assumed where the server says nothing or fails", async () => {
    server.play(listed({ id: "m" }));
    expect(await openai()).toEqual({ id: "m", contextLength: 128_000, assumed: true });
    server.play(refused(500, "{}"));
    expect(await openai()).toEqual({ id: "m", contextLength: 128_000, assumed: true });
  });

  it("is assumed as usual for the kind of server, which at LM Studio's address is small", async () => {
    server.play(listed({ id: "m" }));
    // Nothing here listens at its address: what is sent to it goes to the test's server.
    const here = new Agent();
    here.createConnection = () => connect(Number(new URL(server.url).port), "127.0.0.1");
    const lmStudio = { baseUrl: "http://127.0.0.1:1234/v1", agentFor: () => here };
    expect(await openai(lmStudio)).toEqual({ id: "m", contextLength: 8_192, assumed: true });
    expect(server.received).toHaveLength(1);
    server.play(listed({ id: "m", context_window: 40_000 }));
    expect(await openai(lmStudio)).toEqual({ id: "m", contextLength: 40_000 });
  });

  it("A10 ends with its signal", async () => {
    server.play(silent);
    const controller = new AbortController();
    const provider = createProvider({ kind: "openai", baseUrl: server.url });
    const facts = provider.describeModel({ signal: controller.signal, model: "m" });
    const request = await server.request(1);
    controller.abort();
    expect(await facts).toMatchObject({ assumed: true });
    await request.socketClosed;
  });

  describe("of Ollama", () => {
    const shows = (contextLength: number) => {
      const details = {
        capabilities: ["tools"],
        model_info: { "x.context_length": contextLength },
      };
      const answer = streamed(ollama, ollama.text("Hi"), ollama.finish());
      const shown = refused(200, JSON.stringify(details));
      server.play((received) => (received.path === "/api/show" ? shown : answer)(received));
    };
    const sent = () => JSON.parse(server.received.at(-1)?.body ?? "").options.num_ctx;

    it.each([
      ["what the model can read", 20_000, undefined, 20_000],
      ["no more than usual", 131_072, undefined, 32_768],
      ["what a person has set", 131_072, 65_536, 65_536],
      ["never more than the model can", 20_000, 65_536, 20_000],
    ])("is one number, planned with and sent: %s", async (_, model, set, expected) => {
      shows(model);
      const config = set === undefined ? {} : { contextLength: set };
      const provider = providerFor(ollama, server.url, config);
      const facts = await provider.describeModel({ signal: never, model: "m" });
      expect(facts).toMatchObject({ contextLength: expected, tools: true, images: false });
      await collect(provider, never);
      expect(sent()).toBe(expected);
    });

    it("is what is sent where the model can't be described", async () => {
      server.play(refused(404, '{"error":"model not found"}'));
      const provider = providerFor(ollama, server.url);
      const facts = await provider.describeModel({ signal: never, model: "m" });
      await collect(provider, never);
      expect(facts.contextLength).toBe(sent());
    });
  });
});
