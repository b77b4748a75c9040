import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { TurnId } from "@gadget/api";
import { afterEach, describe, expect, it } from "vitest";
import { Interrupts } from "../ask/interrupts.ts";
import type { Terminal } from "../ask/terminal.ts";
import { Client } from "../client.ts";
import { contextFor } from "../command-context.ts";
import { watchTurn } from "./watch-turn.ts";

const turnId = TurnId.parse("turn-0001");
const at = "2026-01-01T00:00:00.000Z";
const turn = {
  id: turnId,
  sessionId: "session-1",
  projectId: "project-1",
  droneId: null,
  prompt: "",
  status: "processing",
  createdAt: at,
  usage: { inputTokens: 0, outputTokens: 0 },
  filesChanged: [],
};
const events = [
  { type: "turn:changed", status: "processing" },
  { type: "question:open", questionId: "question-1", question: "Tea?" },
].map((event, index) => ({ turnId, seq: index + 1, epoch: 1, at, ...event }));

let close = () => {};
afterEach(() => close());

/** A server that shows a question at once, and notes it on the turn only after so many reads. */
async function serve(readsBefore: number): Promise<{ client: Client; reads: () => number }> {
  let reads = 0;
  const server = createServer((req, res) => {
    if (req.headers.accept === "text/event-stream") {
      res.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) {
        res.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      return;
    }
    res.writeHead(200, { "content-type": "application/json" });
    if (req.url?.includes("/events")) {
      res.end(JSON.stringify({ items: [], nextCursor: null }));
      return;
    }
    reads++;
    const noted = reads > readsBefore ? { waitingFor: "question" } : {};
    res.end(JSON.stringify({ turn: { ...turn, ...noted } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  return { client: new Client(`http://127.0.0.1:${port}`, undefined), reads: () => reads };
}

function nobody(): Terminal {
  return {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    folder: "/",
    interrupts: new Interrupts(),
  };
}

describe("watchTurn", () => {
  it("leaves a question only once the turn is noted to wait, so that the next command finds it", async () => {
    const { client, reads } = await serve(3);
    const context = contextFor(nobody(), client, {});
    const watched = await watchTurn({ context, turnId, questions: "leave" });
    expect(watched.waiting).toMatchObject({ kind: "question", question: "Tea?" });
    expect(watched.turn.waitingFor).toBe("question");
    expect(reads()).toBe(4);
  });

  it("hears Ctrl-C while it waits for that", async () => {
    const { client } = await serve(Number.POSITIVE_INFINITY);
    const terminal = nobody();
    const context = contextFor(terminal, client, {});
    const watched = watchTurn({ context, turnId, questions: "leave" });
    setTimeout(() => terminal.interrupts.leave(), 100);
    await expect(watched).rejects.toMatchObject({ name: "AbortError" });
  });
});
