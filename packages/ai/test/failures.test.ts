import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AiEvent, type AiFailure, aiFailureKinds } from "../src/index.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { collect, cutAfter, refused, silentAfter, streamed, textOf, typesOf } from "./scene.ts";
import { providerFor, type Wire, wires } from "./wires.ts";

const never = new AbortController().signal;

function failureOf(events: AiEvent[]): AiFailure {
  const last = events.at(-1);
  if (last?.type !== "failure") {
    throw new Error(`The last event is ${last?.type}`);
  }
  expect(last.message.interrupted).toBe(true);
  expect(last.message.content.some((part) => part.type === "toolcall")).toBe(false);
  expect(aiFailureKinds).toContain(last.failure.kind);
  expect(last.failure.message).toMatch(/\.$|ollama pull/);
  return last.failure;
}

describe.each(wires)("failures of $kind", (wire: Wire) => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await startModelServer();
  });
  afterEach(() => server.close());
  const chat = (config = {}) => collect(providerFor(wire, server.url, config), never);
  const complete = () => streamed(wire, wire.text("Hi"), wire.finish(), wire.tail);

  it("A12 a clean end without a finish reason is no complete answer", async () => {
    server.play(streamed(wire, wire.text("Hel")));
    const events = await chat();
    expect(failureOf(events).kind).toBe("protocol");
    expect(textOf(events)).toBe("Hel");
    expect(server.received.length).toBe(1);
  });

  it("A12 a connection that breaks in a call's arguments gives no call", async () => {
    const pieces = wire.call("write_file", '{"path":"a","content":"b"}');
    const cut = pieces.join("").slice(0, -20);
    server.play(cutAfter(wire, wire.text("Hm"), cut));
    const events = await chat();
    expect(failureOf(events)).toMatchObject({ kind: "network", retryable: true });
    expect(typesOf(events)).not.toContain("toolcall:end");
  });

  it("A11 a broken connection is a network failure, though its error says 'aborted'", async () => {
    server.play(cutAfter(wire, wire.text("Hi")));
    const failure = failureOf(await chat());
    expect(failure.kind).toBe("network");
    expect(JSON.stringify(failure)).not.toContain("aborted");
  });

  it("never retries an answer of which something was shown", async () => {
    server.play(cutAfter(wire, wire.text("Hi")), complete());
    failureOf(await chat());
    expect(server.received.length).toBe(1);
  });

  it("retries when nothing was shown, and says for how long it waits", async () => {
    server.play(cutAfter(wire), complete());
    const events = await chat();
    expect(events[0]).toMatchObject({
      type: "backoff:start",
      attempt: 1,
      failure: { kind: "network" },
    });
    expect(events.at(-1)?.type).toBe("end");
    expect(server.received.length).toBe(2);
  });

  it("honours Retry-After on 429", async () => {
    server.play(refused(429, wire.errorBody("slow down"), { "retry-after": "1" }), complete());
    const start = performance.now();
    const events = await chat();
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(events[0]).toMatchObject({
      type: "backoff:start",
      failure: { kind: "rate_limited", status: 429, retryAfterMs: 1000 },
    });
    expect(events.at(-1)?.type).toBe("end");
  });

  it("gives up at once when the server asks for an hour", async () => {
    server.play(refused(429, wire.errorBody("slow down"), { "retry-after": "3600" }));
    const failure = failureOf(await chat());
    expect(failure).toMatchObject({ kind: "rate_limited", retryAfterMs: 3_600_000 });
    expect(server.received.length).toBe(1);
  });

  it("retries 500 as often as the table says", async () => {
    server.play(refused(500, "<html><h1>Oops</h1></html>"));
    const failure = failureOf(await chat());
    expect(failure).toMatchObject({ kind: "overloaded", status: 500, detail: "Oops" });
    expect(server.received.length).toBe(3);
  });

  it.each([
    [401, "Incorrect API key provided: k-secret-1", "unauthenticated"],
    [403, "no access", "unauthenticated"],
    [402, "pay first", "rate_limited"],
    [400, "This model's maximum context length is 8192 tokens", "context_too_long"],
    [413, "too large", "context_too_long"],
    [400, "temperature must be at most 2", "protocol"],
    [307, "", "protocol"],
    [400, "m does not support tools", "refused"],
    [404, "page not found", "not_found"],
    [400, "Invalid model name passed in model=m. Call `/v1/models` to view", "not_found"],
    [500, "image input is not supported - hint: you may need to provide the mmproj", "no_images"],
    [404, "No endpoints found that support image input", "no_images"],
    [400, "m is not a multimodal model", "no_images"],
  ] as const)("HTTP %s %s is %s, not retried and without the key", async (status, text, kind) => {
    server.play(refused(status, wire.errorBody(text)));
    const failure = failureOf(await chat({ apiKey: "k-secret-1" }));
    expect(failure).toMatchObject({ kind, status, retryable: false });
    expect(JSON.stringify(failure)).not.toContain("k-secret-1");
    expect(server.received.length).toBe(1);
  });

  it("names a missing model, and what to do", async () => {
    server.play(refused(404, wire.errorBody('model "m" not found')));
    const { message } = failureOf(await chat());
    expect(message).toContain(wire.kind === "ollama" ? "ollama pull m" : "The model m");
  });

  it("has a sentence for a model that only speaks the Responses API", async () => {
    server.play(
      refused(
        404,
        wire.errorBody(
          "This model is only supported in v1/responses and not in v1/chat/completions.",
        ),
      ),
    );
    const failure = failureOf(await chat());
    expect(failure.kind).toBe("not_found");
    expect(failure.message).toContain("Responses API");
  });

  it("reports garbage as a protocol failure", async () => {
    server.play(streamed(wire, wire.text("Hi"), "data: {not json\n\n", wire.finish()));
    expect(failureOf(await chat()).kind).toBe("protocol");
  });

  it("reports a web page as a wrong address", async () => {
    server.play(({ response }) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<html></html>");
    });
    const failure = failureOf(await chat());
    expect(failure.kind).toBe("protocol");
    expect(failure.message).toContain("web page");
  });

  it("reports an error that comes in mid-stream", async () => {
    server.play(streamed(wire, wire.text("Hi"), wire.errorInStream("the worker died")));
    const failure = failureOf(await chat());
    expect(failure).toMatchObject({ kind: "overloaded", detail: "the worker died" });
  });

  it("reports a server that is silent for too long", async () => {
    server.play(silentAfter(wire, wire.text("Hi")));
    const failure = failureOf(await chat({ idleTimeoutMs: 100 }));
    expect(failure.kind).toBe("network");
    expect(failure.message).toContain("silent");
  });

  it("reports an address at which nothing listens", async () => {
    const other = await startModelServer();
    await other.close();
    const events = await collect(providerFor(wire, other.url), never);
    const failure = failureOf(events);
    expect(failure.message).toContain("Nothing listens at http://127.0.0.1:");
    expect(typesOf(events).filter((type) => type === "backoff:start").length).toBe(2);
  });

  it("reports a base URL that is none", async () => {
    const failure = failureOf(await collect(providerFor(wire, "ftp://x y"), never));
    expect(failure).toMatchObject({ kind: "network", retryable: false });
    expect(failure.message).toContain("not a valid http(s) address");
  });

  it("counts no tokens for a request that was refused, and estimates those of a broken one", async () => {
    server.play(refused(401, "{}"));
    expect((await chat()).at(-1)).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0 } });
    server.play(cutAfter(wire, wire.text("Hello, here I am.")));
    const last = (await chat()).at(-1);
    expect(last).toMatchObject({ type: "failure", usage: { estimated: true } });
    expect(last?.type === "failure" && last.usage.inputTokens).toBeGreaterThan(0);
    expect(last?.type === "failure" && last.usage.outputTokens).toBeGreaterThan(0);
  });

  it("generate gives the failure as a value", async () => {
    server.play(refused(401, wire.errorBody("no")));
    const answer = await providerFor(wire, server.url).generate({
      signal: never,
      model: "m",
      messages: [{ role: "user", content: "Hi" }],
      stream: false,
    });
    expect(answer).toMatchObject({ ok: false, failure: { kind: "unauthenticated" } });
  });
});
