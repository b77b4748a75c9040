import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { eventually } from "@gadget/testing/eventually";
import { describe, expect, it } from "vitest";
import type { AnswerDelta } from "../src/answer-deltas.ts";
import { startDemoModel } from "../src/index.ts";
import { type AnswerOptions, sendAnswer } from "../src/send-answer.ts";

const base = {
  model: "demo",
  includeUsage: false,
  promptTokens: 1,
  maxTokens: Number.POSITIVE_INFINITY,
  breaksOff: false,
};

/** A server that sends endless text, and what its generator did. */
async function endless(options: Pick<AnswerOptions, "stream" | "tokensPerSecond">) {
  const seen = { advanced: 0, returned: false, settled: false };
  function* deltas(): Generator<AnswerDelta> {
    try {
      for (;;) {
        seen.advanced += 1;
        yield { type: "text", text: "again and ".repeat(20) };
      }
    } finally {
      seen.returned = true;
    }
  }
  const server = createServer((_, response: ServerResponse) => {
    void sendAnswer(response, deltas(), { ...base, ...options }).then(() => {
      seen.settled = true;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error("no port");
  }
  return { seen, port: address.port, server };
}

describe("a client that leaves", () => {
  it.each([
    ["mid-stream, at full speed", true, 1e9],
    ["mid-stream, between two slow tokens", true, 0.01],
    ["before the first byte of a whole answer", false, 0.01],
  ])("A13 stops the script: %s", async (_, stream, tokensPerSecond) => {
    const { seen, port, server } = await endless({ stream, tokensPerSecond });
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    socket.resume();
    await eventually("the script plays", () => seen.advanced > (tokensPerSecond > 1 ? 50 : 0));
    socket.destroy();
    await eventually("the answer settles", () => seen.settled);
    expect(seen.returned).toBe(true);
    const advanced = seen.advanced;
    server.close();
    await once(server, "close");
    expect(seen.advanced).toBe(advanced);
  });

  it("A13 stops a script that waits for it to read", async () => {
    const { seen, port, server } = await endless({ stream: true, tokensPerSecond: 1e9 });
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    let last = -1;
    await eventually("the script is held back", () => {
      const held = seen.advanced > 50 && seen.advanced === last;
      last = seen.advanced;
      return held;
    });
    socket.destroy();
    await eventually("the answer settles", () => seen.settled);
    expect(seen.returned).toBe(true);
    server.close();
  });
});

describe("closing the server", () => {
  const story = {
    method: "POST",
    body: JSON.stringify({
      model: "demo",
      stream: true,
      messages: [{ role: "user", content: "long story" }],
    }),
  };

  it("breaks open streams and frees the port at once", async () => {
    const model = await startDemoModel({ apiKey: "" });
    const response = await fetch(`${model.baseUrl}/chat/completions`, story);
    const start = performance.now();
    const [read] = await Promise.allSettled([response.text(), model.close(), model.close()]);
    expect(read.status).toBe("rejected");
    expect(performance.now() - start).toBeLessThan(1000);
    await expect(fetch(`${model.baseUrl}/models`)).rejects.toThrow(/fetch failed/);
  });

  it("is what its signal does", async () => {
    const stop = new AbortController();
    const model = await startDemoModel({ apiKey: "", signal: stop.signal });
    const response = await fetch(`${model.baseUrl}/chat/completions`, story);
    stop.abort();
    await expect(response.text()).rejects.toThrow(/terminated/);
    await model.close();
  });

  it("happens before it started when the signal was first", async () => {
    await expect(startDemoModel({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});
