import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer, writeSlowly } from "./model-server.ts";
import { collect, prompt, refused, silentAfter, streamed, textOf, typesOf } from "./scene.ts";
import { providerFor, type Wire, wires } from "./wires.ts";

const never = new AbortController().signal;

describe.each(wires)("answers of $kind", (wire: Wire) => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await startModelServer();
  });
  afterEach(() => server.close());

  it("streams text, counts and the finish reason", async () => {
    server.play(streamed(wire, wire.text("Hel"), wire.text("lo"), wire.finish(), wire.tail));
    const events = await collect(providerFor(wire, server.url), never);
    expect(typesOf(events)).toEqual([
      "text:start",
      "text:delta",
      "text:delta",
      "text:end",
      "usage",
      "end",
    ]);
    expect(events.at(-1)).toMatchObject({
      type: "end",
      reason: "stop",
      message: { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      usage: { inputTokens: 11, outputTokens: 7 },
    });
  });

  it("keeps reasoning apart from text", async () => {
    server.play(
      streamed(
        wire,
        wire.reasoning("Hm. "),
        wire.reasoning("Yes."),
        wire.text("Ok"),
        wire.finish(),
        wire.tail,
      ),
    );
    const events = await collect(providerFor(wire, server.url), never);
    expect(events.find((event) => event.type === "reasoning:end")).toMatchObject({
      text: "Hm. Yes.",
    });
    expect(textOf(events)).toBe("Ok");
  });

  it("reads reasoning between think tags in the text", async () => {
    server.play(
      streamed(
        wire,
        ...["<th", "ink>Hm", ".</thi", "nk>\n", "\nOk <think>"].map((text) => wire.text(text)),
        wire.finish(),
        wire.tail,
      ),
    );
    const events = await collect(providerFor(wire, server.url), never);
    expect(events.find((event) => event.type === "reasoning:end")).toMatchObject({ text: "Hm." });
    expect(textOf(events)).toBe("Ok <think>");
  });

  it("gives complete, parsed arguments with the end of a call, and only after the finish reason", async () => {
    const pieces = wire.call("read_file", '{"path":"src/ä.ts"}');
    server.play(streamed(wire, wire.text("Look:"), ...pieces, wire.finish(), wire.tail));
    const events = await collect(providerFor(wire, server.url), never);
    const end = events.at(-1);
    expect(end).toMatchObject({ type: "end", reason: "tool_calls" });
    const [start, call] = [
      events.find((event) => event.type === "toolcall:start"),
      events.find((event) => event.type === "toolcall:end"),
    ];
    expect(start).toMatchObject({ name: "read_file" });
    expect(call).toMatchObject({
      name: "read_file",
      arguments: { ok: true, value: { path: "src/ä.ts" } },
    });
    const joined = events.flatMap((event) => (event.type === "toolcall:delta" ? [event.text] : []));
    expect(joined.join("")).toBe('{"path":"src/ä.ts"}');
  });

  it("gives a call an id that the conversation does not have yet", async () => {
    server.play(streamed(wire, ...wire.call("t", "{}"), wire.finish(), wire.tail));
    const events = await collect(providerFor(wire, server.url), never, undefined, {
      messages: [
        ...prompt,
        {
          role: "assistant",
          content: [
            { type: "toolcall", id: "call_1", name: "t", arguments: { ok: true, value: {} } },
          ],
        },
        { role: "tool", callId: "call_1", content: "done" },
      ],
    });
    const start = events.find((event) => event.type === "toolcall:start");
    expect(start?.id).toMatch(/^call_\w{24}$/);
  });

  it("reads the same when every byte comes alone, half characters included", async () => {
    const body = [
      wire.text("Grüße, 世界 🎉"),
      ...wire.call("t", '{"a":"é"}'),
      wire.finish(),
      wire.tail,
    ].join("");
    server.play(async ({ response }) => {
      response.writeHead(200, { "content-type": wire.contentType });
      await writeSlowly(
        response,
        [...Buffer.from(body)].map((byte) => Uint8Array.of(byte)),
      );
      response.end();
    });
    const events = await collect(providerFor(wire, server.url), never);
    expect(textOf(events)).toBe("Grüße, 世界 🎉");
    expect(events.find((event) => event.type === "toolcall:end")).toMatchObject({
      arguments: { ok: true, value: { a: "é" } },
    });
    expect(events.at(-1)?.type).toBe("end");
  });

  it("reads 5 MB in one line", async () => {
    const text = "0123456789abcdé ".repeat(330_000);
    server.play(streamed(wire, wire.text(text), wire.finish(), wire.tail));
    const events = await collect(providerFor(wire, server.url), never);
    expect(textOf(events).length).toBe(text.length);
    expect(events.at(-1)?.type).toBe("end");
  });

  it("calls an answer at its length limit by that name", async () => {
    server.play(streamed(wire, wire.text("Hel"), wire.finish("length"), wire.tail));
    const events = await collect(providerFor(wire, server.url), never);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "length" });
  });

  it("is complete when the server keeps the connection open after the finish reason", async () => {
    server.play(silentAfter(wire, wire.text("Hi"), wire.finish()));
    const events = await collect(providerFor(wire, server.url, { idleTimeoutMs: 100 }), never);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "stop" });
  });

  it("uses one connection for the steps of an order", async () => {
    server.play(streamed(wire, wire.text("Hi"), wire.finish(), wire.tail));
    const provider = providerFor(wire, server.url);
    await collect(provider, never);
    // The connection is free again a moment after the last event.
    await expect
      .poll(async () => {
        await collect(provider, never);
        return server.received.at(-1)?.connection === server.received.at(-2)?.connection;
      })
      .toBe(true);
  });

  it.each([true, false])("answers once, streamed: %s", async (stream) => {
    server.play(
      stream
        ? streamed(wire, wire.text("Hel"), wire.text("lo"), wire.finish(), wire.tail)
        : ({ response }) => {
            response.writeHead(200, { "content-type": "application/json" });
            response.end(wire.whole("Hello"));
          },
    );
    const seen: string[] = [];
    const answer = await providerFor(wire, server.url).generate({
      signal: never,
      model: "m",
      messages: prompt,
      stream,
      onEvent: (event) => seen.push(event.type),
    });
    expect(answer).toMatchObject({ ok: true, text: "Hello", reason: "stop" });
    expect(answer.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    expect(seen).toContain("text:delta");
    expect(JSON.parse(server.received[0]?.body ?? "")).toMatchObject({ stream });
  });

  it("sends exactly the headers of its settings, whatever the environment holds", async () => {
    const before = { ...process.env };
    Object.assign(process.env, {
      OPENAI_API_KEY: "sk-environment",
      OPENAI_ORG_ID: "org-environment",
      OPENAI_CUSTOM_HEADERS: "x-environment: yes",
      OPENAI_BASE_URL: "http://127.0.0.1:9",
    });
    try {
      server.play(streamed(wire, wire.finish(), wire.tail));
      await collect(providerFor(wire, server.url, { headers: { "x-team": "blue" } }), never);
      await collect(providerFor(wire, server.url, { apiKey: "k-1" }), never);
      server.play(refused(200, wire.modelList()));
      const lister = providerFor(wire, server.url, { headers: { "x-team": "blue" } });
      expect(await lister.listModels({ signal: never })).toEqual({ ok: true, value: [] });
    } finally {
      for (const name of Object.keys(process.env)) {
        if (!(name in before)) {
          delete process.env[name];
        }
      }
    }
    const [first, second, listing] = server.received;
    const always = ["accept", "connection", "host", "user-agent", "x-team"];
    const ofBody = ["content-length", "content-type"];
    expect(Object.keys(first?.headers ?? {}).sort()).toEqual([...always, ...ofBody].sort());
    expect(Object.keys(listing?.headers ?? {}).sort()).toEqual(always);
    expect(second?.headers.authorization).toBe("Bearer k-1");
  });
});
