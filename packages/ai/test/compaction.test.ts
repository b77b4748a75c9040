import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AiMessage, compactHistory } from "../src/index.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { refused, silent, streamed } from "./scene.ts";
import { providerFor, type Wire, wires } from "./wires.ts";

const long = "x".repeat(3_000);

/** Ten rounds of prompt, call, result and answer, about 9,000 tokens. */
const messages: AiMessage[] = [
  { role: "system", content: "Be brief." },
  ...Array.from({ length: 10 }, (_, n): AiMessage[] => [
    { role: "user", content: `Question ${n}` },
    {
      role: "assistant",
      content: [
        { type: "toolcall", id: `c${n}`, name: "t", arguments: { ok: true, value: { n } } },
      ],
    },
    { role: "tool", callId: `c${n}`, content: `Result ${n} ${long}` },
    { role: "assistant", content: [{ type: "text", text: `Answer ${n}` }] },
  ]).flat(),
];

describe.each(wires)("compaction with $kind", (wire: Wire) => {
  let server: ModelServer;
  let controller: AbortController;
  beforeEach(async () => {
    server = await startModelServer();
    controller = new AbortController();
  });
  afterEach(() => server.close());
  const compact = (contextLength: number, list = messages, threshold?: number) =>
    compactHistory({
      signal: controller.signal,
      provider: providerFor(wire, server.url),
      model: "m",
      messages: list,
      contextLength,
      ...(threshold !== undefined && { threshold }),
    });
  const summarise = (text: string) => streamed(wire, wire.text(text), wire.finish(), wire.tail);

  it("does nothing below the threshold", async () => {
    expect(await compact(100_000)).toEqual({ outcome: "unneeded" });
    expect(server.received.length).toBe(0);
  });

  it("replaces the oldest part by a summary of it, at the beginning of a turn", async () => {
    server.play(summarise("They asked."));
    const before = structuredClone(messages);
    const done = await compact(10_000);
    if (done.outcome !== "compacted") {
      throw new Error(done.outcome);
    }
    expect(done.summary).toBe("They asked.");
    expect(done.messages[0]).toEqual(messages[0]);
    expect(done.messages[1]).toMatchObject({
      role: "user",
      content: expect.stringContaining("They asked."),
    });
    expect(done.messages.slice(2)).toEqual(messages.slice(done.replaced));
    expect(messages[done.replaced]?.role).toBe("user");
    expect(server.received[0]?.body).toContain("Question 0");
    expect(server.received[0]?.body).not.toContain("Question 9");
    expect(messages).toEqual(before);
  });

  it("summarises in rounds what does not fit into one request", async () => {
    server.play(summarise("First part."), summarise("All of it."));
    const done = await compact(4_000);
    expect(done).toMatchObject({ outcome: "compacted", summary: "All of it." });
    expect(server.received.length).toBeGreaterThan(1);
    expect(server.received[1]?.body).toContain("First part.");
  });

  it("cuts inside of one endless turn too, never between a call and its result", async () => {
    server.play(summarise("They asked."));
    const turn = messages.filter(({ role }, index) => role !== "user" || index === 1);
    const done = await compact(10_000, turn);
    if (done.outcome !== "compacted") {
      throw new Error(done.outcome);
    }
    expect(turn[done.replaced]?.role).toBe("assistant");
  });

  it("leaves the history alone when aborted, and closes the connection", async () => {
    server.play(silent);
    const before = structuredClone(messages);
    const compacting = compact(10_000);
    const request = await server.request(1);
    controller.abort();
    expect(await compacting).toMatchObject({ outcome: "failed", failure: { kind: "aborted" } });
    await request.socketClosed;
    expect(messages).toEqual(before);
  });

  it("A10 asks nothing when the signal was aborted before", async () => {
    controller.abort();
    expect(await compact(10_000)).toMatchObject({ failure: { kind: "aborted" } });
    expect(server.received.length).toBe(0);
  });

  it("leaves the history alone when the model fails or writes nothing", async () => {
    server.play(refused(401, "{}"));
    expect(await compact(10_000)).toMatchObject({
      outcome: "failed",
      failure: { kind: "unauthenticated" },
    });
    server.play(summarise("  "));
    expect(await compact(10_000)).toMatchObject({
      outcome: "failed",
      failure: { kind: "protocol" },
    });
  });

  it("leaves a history alone that no summary makes shorter, and says what that took", async () => {
    server.play(summarise("A summary that is longer than what was said. ".repeat(20)));
    const short = messages.slice(0, 2);
    const answer: AiMessage = { role: "assistant", content: [{ type: "text", text: "Yes." }] };
    const done = await compact(10, [...short, answer, ...short.slice(1)]);
    expect(done).toMatchObject({ outcome: "longer" });
    expect(done).toHaveProperty("usage.outputTokens");
  });

  it("has nothing to do for one message, however long", async () => {
    const one: AiMessage[] = [{ role: "user", content: long }];
    expect(await compact(100, one)).toEqual({ outcome: "unneeded" });
  });
});
