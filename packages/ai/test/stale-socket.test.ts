import { once } from "node:events";
import { Agent } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { collect, refused, silent, streamed, textOf, typesOf } from "./scene.ts";
import { providerFor, type Wire, wires } from "./wires.ts";

const never = new AbortController().signal;

/** As llama.cpp does: it says keep-alive, and closes the connection that it said it of. */
describe.each(wires)("a kept connection that the server closes, with $kind", (wire: Wire) => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await startModelServer();
  });
  afterEach(() => server.close());
  const complete = (text: string) => streamed(wire, wire.text(text), wire.finish(), wire.tail);
  /** One whose first answer is read, and whose connection waits for the next request. */
  const used = async (config = {}) => {
    const agent = new Agent({ keepAlive: true });
    const provider = providerFor(wire, server.url, { agentFor: () => agent, ...config });
    const kept = once(agent, "free");
    await collect(provider, never);
    await kept;
    return provider;
  };
  const hangUp = ({ response }: { response: { destroy(): void } }) => response.destroy();

  it("is replaced at once and in silence when not a byte of the answer had come", async () => {
    server.play(complete("one"), hangUp, complete("two"));
    const provider = await used();
    const events = await collect(provider, never);
    expect(textOf(events)).toBe("two");
    expect(typesOf(events)).not.toContain("backoff:start");
    expect(server.received.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  it("is replaced once: a server that closes a new one too has failed", async () => {
    server.play(complete("one"), hangUp, hangUp, complete("two"));
    const provider = await used();
    const events = await collect(provider, never);
    const waits = events.filter(({ type }) => type === "backoff:start");
    expect(waits).toMatchObject([{ failure: { kind: "network" } }]);
    expect(events.at(-1)?.type).toBe("end");
    expect(server.received.length).toBe(4);
  });

  it("is no reason to ask twice where an answer had begun", async () => {
    server.play(complete("one"), refused(500, wire.errorBody("no")), complete("two"));
    const provider = await used({
      retry: { overloaded: { attempts: 1, firstWaitMs: 1, longestWaitMs: 1 } },
    });
    expect((await collect(provider, never)).at(-1)).toMatchObject({
      failure: { kind: "overloaded" },
    });
    expect(server.received.length).toBe(2);
  });

  it("A13 is not replaced after an abort", async () => {
    server.play(complete("one"), silent);
    const provider = await used();
    const controller = new AbortController();
    const second = collect(provider, controller.signal);
    const request = await server.request(2);
    controller.abort();
    expect((await second).at(-1)).toMatchObject({ failure: { kind: "aborted" } });
    await request.socketClosed;
    expect(server.received.length).toBe(2);
  });

  it("A12 an abort in the moment of the second try sends nothing more", async () => {
    const controller = new AbortController();
    server.play(complete("one"), ({ response }) => {
      controller.abort();
      response.destroy();
    });
    const provider = await used();
    expect((await collect(provider, controller.signal)).at(-1)).toMatchObject({
      failure: { kind: "aborted" },
    });
    expect(server.received.length).toBe(2);
  });
});
