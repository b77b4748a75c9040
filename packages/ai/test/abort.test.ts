import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AiEvent, AiOpenPart } from "../src/index.ts";
import { type ModelServer, startModelServer, writeSlowly } from "./model-server.ts";
import {
  collect,
  cutAfter,
  prompt,
  refused,
  silent,
  silentAfter,
  streamed,
  textOf,
  typesOf,
} from "./scene.ts";
import { providerFor, type Wire, wires } from "./wires.ts";

/** Far above what it takes (see the benchmark), far below any timeout. */
const promptlyMs = 250;

function expectAborted(events: AiEvent[]): void {
  expect(events.at(-1)).toMatchObject({
    type: "failure",
    failure: { kind: "aborted", retryable: false },
    message: { interrupted: true },
  });
  const ends = events.filter((event) => event.type === "end" || event.type === "failure");
  expect(ends.length).toBe(1);
  expect(typesOf(events)).not.toContain("toolcall:end");
}

/** What a reader of the events alone would say. */
function openIn(events: readonly AiEvent[]): AiOpenPart[] {
  const parts = new Map<string, AiOpenPart>();
  for (const event of events) {
    switch (event.type) {
      case "text:start":
      case "reasoning:start":
        parts.set(event.id, {
          type: event.type === "text:start" ? "text" : "reasoning",
          id: event.id,
          text: "",
        });
        break;
      case "text:delta":
      case "reasoning:delta": {
        const part = parts.get(event.id);
        if (part !== undefined && part.type !== "toolcall") {
          parts.set(event.id, { ...part, text: part.text + event.text });
        }
        break;
      }
      case "text:end":
      case "reasoning:end":
        parts.delete(event.id);
        break;
      case "toolcall:start":
        parts.set(event.id, { type: "toolcall", id: event.id, name: event.name });
        break;
      default:
    }
  }
  return [...parts.values()];
}

describe.each(wires)("abort with $kind", (wire: Wire) => {
  let server: ModelServer;
  let controller: AbortController;
  beforeEach(async () => {
    server = await startModelServer();
    controller = new AbortController();
  });
  afterEach(() => server.close());

  /** Aborts when `when` says so; the server's socket must close at once, and no request follow. */
  async function abortAt(when: (event: AiEvent) => boolean): Promise<AiEvent[]> {
    let at = 0;
    const events = await collect(providerFor(wire, server.url), controller.signal, (event) => {
      if (at === 0 && when(event)) {
        at = performance.now();
        controller.abort();
      }
    });
    const settled = performance.now();
    expectAborted(events);
    expect(settled - at).toBeLessThan(promptlyMs);
    const request = await server.request(1);
    expect((await request.socketClosed) - at).toBeLessThan(promptlyMs);
    expect(server.received.length).toBe(1);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    return events;
  }

  async function abortAfterRequest(): Promise<AiEvent[]> {
    const collecting = collect(providerFor(wire, server.url), controller.signal);
    const request = await server.request(1);
    const at = performance.now();
    controller.abort();
    const events = await collecting;
    expectAborted(events);
    expect(performance.now() - at).toBeLessThan(promptlyMs);
    expect((await request.socketClosed) - at).toBeLessThan(promptlyMs);
    expect(server.received.length).toBe(1);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    return events;
  }

  it("A12 sends nothing when the signal was aborted before", async () => {
    controller.abort();
    const events = await collect(providerFor(wire, server.url), controller.signal);
    expectAborted(events);
    expect(events.length).toBe(1);
    expect(server.received.length).toBe(0);
  });

  it("A12 sends nothing when aborted in the tick of the request", async () => {
    const collecting = collect(providerFor(wire, server.url), controller.signal);
    controller.abort();
    expectAborted(await collecting);
    expect(server.received.length).toBe(0);
  });

  it("A13 closes the upstream connection before the headers", async () => {
    server.play(silent);
    expect(typesOf(await abortAfterRequest())).toEqual(["failure"]);
  });

  it("A13 closes it between the headers and the first byte", async () => {
    server.play(silentAfter(wire));
    expect(typesOf(await abortAfterRequest())).toEqual(["failure"]);
  });

  it("A13 closes it while an error's body does not come", async () => {
    server.play(({ response }) => {
      response.writeHead(500, { "content-length": "1000" });
      response.flushHeaders();
    });
    expect(typesOf(await abortAfterRequest())).toEqual(["failure"]);
  });

  it("A13 closes it in mid-stream", async () => {
    server.play(async ({ response }) => {
      response.writeHead(200, { "content-type": wire.contentType });
      await writeSlowly(
        response,
        (function* () {
          for (let n = 0; n < 100_000; n++) {
            yield wire.text("word ");
          }
        })(),
      );
    });
    let seen = 0;
    const events = await abortAt((event) => event.type === "text:delta" && ++seen === 20);
    expect(textOf(events)).toBe("word ".repeat(20));
  });

  it("A13 closes it while the model is silent", async () => {
    server.play(silentAfter(wire, wire.text("Hm")));
    let waiting: NodeJS.Immediate | undefined;
    let at = 0;
    const events = await collect(providerFor(wire, server.url), controller.signal, (event) => {
      if (event.type === "text:delta") {
        waiting = setImmediate(() => {
          at = performance.now();
          controller.abort();
        });
      }
    });
    clearImmediate(waiting);
    expectAborted(events);
    const request = await server.request(1);
    expect((await request.socketClosed) - at).toBeLessThan(promptlyMs);
  });

  it("A12 aborted in the arguments of a call, gives no call", async () => {
    const [first = "", ...rest] = wire.call("write_file", '{"path":"a.txt"}');
    server.play(silentAfter(wire, first, ...rest.slice(0, 5)));
    const events = await abortAt((event) => event.type === "toolcall:delta");
    expect(typesOf(events)).toEqual(["toolcall:start", "toolcall:delta", "failure"]);
  });

  it("A12 is not complete when aborted after the finish reason, before the end was shown", async () => {
    server.play(streamed(wire, wire.text("Hi"), wire.finish(), wire.tail));
    const events = await collect(providerFor(wire, server.url), controller.signal, (event) => {
      if (event.type === "text:end") {
        controller.abort();
      }
    });
    expectAborted(events);
    expect(typesOf(events).at(-2)).toBe("text:end");
  });

  it("A12 shows nothing more of a piece that was already read", async () => {
    const words = Array.from({ length: 1000 }, () => wire.text("word "));
    server.play(streamed(wire, ...words, wire.finish(), wire.tail));
    const events = await abortAt((event) => event.type === "text:delta");
    expect(typesOf(events)).toEqual(["text:start", "text:delta", "failure"]);
    expect(events.at(-1)).toMatchObject({ open: [{ type: "text", text: "word " }] });
  });

  it("A12 names at every event what was begun and not ended, as far as it was shown", async () => {
    server.play(
      streamed(
        wire,
        wire.reasoning("Let me think"),
        wire.text("I will "),
        wire.text("write."),
        ...wire.call("write_file", '{"path":"a.txt"}'),
        wire.finish(),
        wire.tail,
      ),
    );
    const total = (await collect(providerFor(wire, server.url), new AbortController().signal))
      .length;
    expect(total).toBeGreaterThan(10);
    for (let boundary = 1; boundary < total; boundary++) {
      const own = new AbortController();
      let seen = 0;
      const events = await collect(providerFor(wire, server.url), own.signal, () => {
        seen += 1;
        if (seen === boundary) {
          own.abort();
        }
      });
      expect(events.at(-1)).toMatchObject({ type: "failure", open: openIn(events) });
    }
  });

  it("A13 ends the back-off at once and never asks again", async () => {
    server.play(refused(429, wire.errorBody("later"), { "retry-after": "60" }));
    let at = 0;
    const events = await collect(providerFor(wire, server.url), controller.signal, (event) => {
      if (event.type === "backoff:start") {
        setImmediate(() => {
          at = performance.now();
          controller.abort();
        });
      }
    });
    expect(performance.now() - at).toBeLessThan(promptlyMs);
    expectAborted(events);
    expect(typesOf(events)).toEqual(["backoff:start", "failure"]);
    expect(server.received.length).toBe(1);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("A11 an abort that meets an error is an abort", async () => {
    server.play(({ response }) => {
      controller.abort();
      response.writeHead(500);
      response.end("{}");
    });
    expectAborted(await collect(providerFor(wire, server.url), controller.signal));
    expect(server.received.length).toBe(1);
  });

  it("A13 closes a connection that served earlier requests", async () => {
    server.play(streamed(wire, wire.text("Hi"), wire.finish(), wire.tail));
    const provider = providerFor(wire, server.url);
    const other = new AbortController();
    await collect(provider, other.signal);
    await expect
      .poll(async () => {
        await collect(provider, other.signal);
        return server.received.at(-1)?.connection === server.received.at(-2)?.connection;
      })
      .toBe(true);
    server.play(silentAfter(wire, wire.text("Hm")));
    const before = server.received.length;
    let at = 0;
    const events = await collect(provider, controller.signal, () => {
      at = performance.now();
      controller.abort();
    });
    expectAborted(events);
    const request = await server.request(before + 1);
    expect((await request.socketClosed) - at).toBeLessThan(promptlyMs);
  });

  it("A13 still works after garbage collections", async () => {
    setFlagsFromString("--expose-gc");
    const gc: () => void = runInNewContext("gc");
    server.play(silentAfter(wire, wire.text("Hm")));
    const collecting = collect(providerFor(wire, server.url), controller.signal);
    const request = await server.request(1);
    for (let n = 0; n < 5; n++) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    controller.abort();
    expectAborted(await collecting);
    await request.socketClosed;
  });

  it("A37 aborting one of many leaves the others byte-identical", async () => {
    const words = Array.from({ length: 40 }, (_, n) => wire.text(`word ${n} `));
    server.play(async ({ response }) => {
      response.writeHead(200, { "content-type": wire.contentType });
      await writeSlowly(response, [...words, wire.finish(), wire.tail]);
      response.end();
    });
    const signals = Array.from({ length: 10 }, () => new AbortController());
    const provider = providerFor(wire, server.url);
    const all = await Promise.all(
      signals.map((own, index) =>
        collect(provider, own.signal, (event) => {
          if (index === 3 && event.type === "text:delta") {
            own.abort();
          }
        }),
      ),
    );
    const [aborted] = all.splice(3, 1);
    expectAborted(aborted ?? []);
    const expected = Array.from({ length: 40 }, (_, n) => `word ${n} `).join("");
    expect(all.map(textOf)).toEqual(Array.from({ length: 9 }, () => expected));
    expect(all.map((events) => events.at(-1)?.type)).toEqual(
      Array.from({ length: 9 }, () => "end"),
    );
  });

  it("leaves no listener on a signal that serves many requests", async () => {
    const plays = [
      streamed(wire, wire.text("Hi"), wire.finish(), wire.tail),
      cutAfter(wire, wire.text("Hi")),
      refused(401, "{}"),
      refused(500, "{}"),
    ];
    for (let n = 0; n < 20; n++) {
      for (const play of plays) {
        server.play(play);
        await collect(providerFor(wire, server.url), controller.signal);
      }
    }
    await expect.poll(() => getEventListeners(controller.signal, "abort").length).toBe(0);
  });

  it("closes the connection when the consumer walks away", async () => {
    server.play(silentAfter(wire, wire.text("Hm")));
    const { signal } = controller;
    for await (const event of providerFor(wire, server.url).chat({
      model: "m",
      messages: prompt,
      signal,
    })) {
      if (event.type === "text:delta") {
        break;
      }
    }
    await (await server.request(1)).socketClosed;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("A10 generate, listModels and test stop while the server is silent", async () => {
    server.play(silent);
    const provider = providerFor(wire, server.url);
    const calls = [
      (signal: AbortSignal) => provider.generate({ signal, model: "m", messages: prompt }),
      (signal: AbortSignal) =>
        provider.generate({ signal, model: "m", messages: prompt, stream: false }),
      (signal: AbortSignal) => provider.listModels({ signal }),
      (signal: AbortSignal) => provider.test({ signal, model: "m" }),
    ];
    for (const [index, call] of calls.entries()) {
      const own = new AbortController();
      const called = call(own.signal);
      const request = await server.request(index + 1);
      const at = performance.now();
      own.abort();
      expect(await called).toMatchObject({ ok: false, failure: { kind: "aborted" } });
      expect((await request.socketClosed) - at).toBeLessThan(promptlyMs);
      expect(getEventListeners(own.signal, "abort")).toEqual([]);
    }
  });
});
