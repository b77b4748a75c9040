import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { TurnEvent, TurnId } from "@gadget/api";
import { afterEach, describe, expect, it } from "vitest";
import { Client } from "../client.ts";
import { followTurn } from "./follow-turn.ts";

const turnId = TurnId.parse("turn-0001");
const at = "2026-01-01T00:00:00.000Z";
const delta = (seq: number) =>
  TurnEvent.parse({
    turnId,
    seq,
    epoch: 1,
    at,
    type: "text:delta",
    partId: "p",
    text: String(seq),
  });
const end = (seq: number, status = "finished") =>
  TurnEvent.parse({ turnId, seq, epoch: 1, at, type: "turn:changed", status });
const turn = (status: string) => ({
  turn: {
    id: turnId,
    sessionId: "session-1",
    projectId: "project-1",
    droneId: null,
    prompt: "",
    status,
    createdAt: at,
    usage: { inputTokens: 0, outputTokens: 0 },
    filesChanged: [],
  },
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

const stream =
  (events: TurnEvent[], then: "close" | "stay" | "break"): Answer =>
  (_req, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    for (const event of events) {
      res.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    if (then === "close") {
      res.end();
    }
    if (then === "break") {
      setImmediate(() => res.destroy());
    }
  };
const json =
  (body: object, status = 200): Answer =>
  (_req, res) =>
    void res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

let close = () => {};
afterEach(() => close());

/** A server that gives its event streams in turn, and says where the turn stands. */
async function serve(streams: Answer[], status = "processing", log: TurnEvent[] = []) {
  const seen: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    if (!req.url?.endsWith("/events") && !req.url?.includes("/events?")) {
      return json(turn(status))(req, res);
    }
    if (req.headers.accept !== "text/event-stream") {
      const after = Number(new URL(req.url, "http://x").searchParams.get("after"));
      return json({ items: log.filter(({ seq }) => seq > after), nextCursor: null })(req, res);
    }
    seen.push(req.headers["last-event-id"] as string | undefined);
    (streams.shift() ?? json({ error: { code: "not_found", message: "Gone." } }, 404))(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  const { port } = server.address() as AddressInfo;
  return { client: new Client(`http://127.0.0.1:${port}`, "token"), seen };
}

async function follow(client: Client, signal = AbortSignal.timeout(10_000), lost: boolean[] = []) {
  const seqs: number[] = [];
  const onLost = (now: boolean) => void lost.push(now);
  for await (const events of followTurn({ client, turnId, signal, onLost })) {
    seqs.push(...events.map(({ seq }) => seq));
  }
  return seqs;
}

describe("followTurn", () => {
  it("ends with the terminal event, also when the stream stays open", async () => {
    const { client } = await serve([stream([delta(1), delta(2), end(3)], "stay")]);
    expect(await follow(client)).toEqual([1, 2, 3]);
  });

  it("takes up a lost connection after the last event that it saw", async () => {
    const { client, seen } = await serve([
      stream([delta(1), delta(2)], "break"),
      json({}, 502),
      json({}, 502),
      stream([delta(3)], "close"),
      stream([end(4)], "close"),
    ]);
    const lost: boolean[] = [];
    expect(await follow(client, undefined, lost)).toEqual([1, 2, 3, 4]);
    expect(seen).toEqual(["0", "2", "2", "2", "3"]);
    expect(lost).toEqual([true, false]);
  });

  it("reads a gap again from the log, once", async () => {
    const { client, seen } = await serve([
      stream([delta(1), delta(3)], "stay"),
      stream([delta(2), delta(3), delta(5), end(6)], "stay"),
      stream([delta(5), end(6)], "stay"),
    ]);
    expect(await follow(client)).toEqual([1, 2, 3, 5, 6]);
    expect(seen).toEqual(["0", "1", "3"]);
  });

  it("shows the end of a turn that settled meanwhile below what was seen", async () => {
    const log = [delta(1), end(2, "interrupted")];
    const { client } = await serve(
      [stream([delta(1), delta(2), delta(3)], "break")],
      "interrupted",
      log,
    );
    expect(await follow(client)).toEqual([1, 2, 3, 2]);
  });

  it("does not try again where the answer is no", async () => {
    const { client } = await serve([]);
    await expect(follow(client)).rejects.toMatchObject({ code: "not_found" });
  });

  it("ends at once when its signal is aborted, while the server is silent and between two tries", async () => {
    const silent = await serve([stream([delta(1)], "stay")]);
    const controller = new AbortController();
    const following = follow(silent.client, controller.signal);
    await expect.poll(() => silent.seen.length).toBe(1);
    controller.abort();
    await expect(following).rejects.toThrow("aborted");
    close();

    const broken = await serve(Array.from({ length: 99 }, () => json({}, 502)));
    const second = new AbortController();
    const trying = follow(broken.client, second.signal);
    await expect.poll(() => broken.seen.length).toBeGreaterThan(1);
    second.abort();
    await expect(trying).rejects.toThrow("aborted");
  });

  it("ends at once also when the request behind the stream was collected as garbage", async () => {
    const { client } = await serve([stream([delta(1)], "stay")]);
    const controller = new AbortController();
    const following = followTurn({ client, turnId, signal: controller.signal, onLost: () => {} });
    expect((await following.next()).value).toMatchObject([{ seq: 1 }]);
    const silent = following.next();
    for (let round = 0; round < 5; round += 1) {
      collectGarbage();
      await new Promise((resolve) => setImmediate(resolve));
    }
    controller.abort();
    await expect(silent).rejects.toThrow("aborted");
  });
});
