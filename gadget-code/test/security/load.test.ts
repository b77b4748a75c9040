import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { ask, ideCommands, type TurnEvent } from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { Manager } from "socket.io-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTurn } from "../http/start-turn.ts";
import { openPage } from "../page.ts";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { rawRequest } from "./raw-request.ts";
import { samplePath, unsafe } from "./route-samples.ts";

let server: TestServer;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await startServer({ headersMs: 400 });
  drone = await connectDrone(server, server.owner, { capacity: 10 });
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

async function connectedBrowsers(): Promise<string> {
  const response = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.owner.token}` },
  });
  return /kind="browser"\} (\d+)/.exec(await response.text())?.[1] ?? "";
}

const isAlive = async (): Promise<boolean> => (await fetch(`${server.url}/healthz`)).ok;

describe("too much at once", () => {
  it.each(unsafe)("in the body of %s is 413", async (_, route) => {
    const { status } = await rawRequest(server.url, {
      method: route.method,
      path: samplePath(route),
      headers: {
        authorization: `Bearer ${server.owner.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ prompt: "x".repeat(1_200_000) }),
    });
    expect(status).toBe(413);
  });

  it("in a prompt is refused before it is stored", async () => {
    const { session, turn } = await startTurn(server.owner, drone);
    await drone.complete(turn.id, true);
    const body = { prompt: "x".repeat(200_001) };
    const refusal = await server.owner.refusal("submitTurn", { params: { id: session.id }, body });
    expect(refusal?.code).toBe("invalid");
  });

  it("in a socket's message closes that connection and no other", async () => {
    const page = await openPage(server.url, server.owner);
    const witness = await openPage(server.url, server.owner);
    page.socket.emit("joinSession", { sessionId: "x".repeat(4_200_000) as never }, () => {});
    await page.closed();
    const answer = await ask(
      witness.socket,
      ideCommands,
      "leaveSession",
      [{ sessionId: "12345678" as never }],
      5_000,
    );
    expect(answer).toEqual({});
    witness.close();
  });
});

describe("packets that make no sense", () => {
  it.each([
    "2",
    "9",
    "42",
    "42/ide,",
    '42/ide,["joinSession"',
    "42/ide,[null]",
    '42/ide,[{"a":1}]',
    '42/ide,["__proto__",{}]',
    '42/ide,["connect"]',
    '42/ide,["disconnect"]',
    `45${"9".repeat(20)}-/ide,["x",{"_placeholder":true,"num":0}]`,
    '451-/ide,["x",{"_placeholder":true,"num":9}]',
    "43/ide,1[]",
    "40/nowhere,{}",
  ])("such as %s end at most their own connection", async (packet) => {
    const manager = new Manager(server.url, { transports: ["websocket"], reconnection: false });
    await new Promise<void>((resolve) => void manager.once("open", resolve));
    const { engine } = manager;
    engine.write(`40/ide,${JSON.stringify({ token: server.owner.token })}`);
    engine.write(packet);
    engine.write(packet);
    expect(await isAlive()).toBe(true);
    const page = await openPage(server.url, server.owner);
    const left = await ask(
      page.socket,
      ideCommands,
      "leaveSession",
      [{ sessionId: "12345678" as never }],
      5_000,
    );
    expect(left).toEqual({});
    page.close();
    engine.close();
  });
});

describe("clients that take their time", () => {
  it("to send their headers are cut off", async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
    const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
    socket.on("error", () => {});
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Slow: `);
    const drip = setInterval(() => socket.write("x"), 50);
    await closed;
    clearInterval(drip);
    expect(answer).toContain("408");
  });

  it("to read an event stream get all of it, and nothing piles up for them", async () => {
    const { turn } = await startTurn(server.owner, drone);
    const stream = request(`${server.url}/api/v1/turns/${turn.id}/events`, {
      headers: { authorization: `Bearer ${server.owner.token}`, accept: "text/event-stream" },
    });
    const response = await new Promise<IncomingMessage>((resolve) => {
      stream.once("response", resolve);
      stream.end();
    });
    response.pause();
    const piece = { type: "tool:output", callId: "c" as never, text: "x".repeat(200_000) } as const;
    const messages = 6;
    await drone.send(turn.id, { type: "tool:start", callId: "c" as never, name: "shell" });
    for (let sent = 0; sent < messages; sent += 1) {
      await drone.send(turn.id, ...Array.from({ length: 10 }, () => piece));
    }
    await drone.complete(turn.id, true);
    let body = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    response.resume();
    await new Promise<void>((resolve) => void response.once("end", () => resolve()));
    const events = [...body.matchAll(/^data: (.*)$/gm)].map(
      ([, data = ""]) => JSON.parse(data) as TurnEvent,
    );
    let covered = 0;
    for (const event of events) {
      expect(event.fromSeq ?? event.seq).toBe(covered + 1);
      covered = event.seq;
    }
    expect(covered).toBe(messages * 10 + 3);
    expect(events.at(-1)).toMatchObject({ status: "finished" });
  });

  it("to read a socket are let go, and catch up by number when they come back", async () => {
    const { turn, session } = await startTurn(server.owner, drone);
    const page = await openPage(server.url, server.owner);
    const join = { sessionId: session.id };
    await ask(page.socket, ideCommands, "joinSession", [join], 5_000);
    const wire = Reflect.get(page.socket.io.engine.transport, "ws") as {
      pause(): void;
      resume(): void;
    };
    wire.pause();
    const text = "x".repeat(900_000);
    await drone.send(turn.id, { type: "tool:start", callId: "c" as never, name: "shell" });
    for (let piece = 0; piece < 30; piece += 1) {
      await drone.send(turn.id, { type: "tool:output", callId: "c" as never, text });
    }
    await becomes(
      () => connectedBrowsers(),
      (browsers) => browsers === "0",
    );
    wire.resume();
    page.close();
    const back = await openPage(server.url, server.owner);
    const have = [{ turnId: turn.id, after: 31 }];
    const { missed } = await ask(
      back.socket,
      ideCommands,
      "joinSession",
      [{ ...join, have }],
      5_000,
    );
    expect(missed).toMatchObject([{ events: [{ seq: 32 }] }]);
    back.close();
    await drone.complete(turn.id, true);
  });
});
