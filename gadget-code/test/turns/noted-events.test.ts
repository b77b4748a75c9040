import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ApprovalId,
  ask,
  type ChatTurn,
  ideCommands,
  isSettled,
  newId,
  type SessionId,
  type TurnId,
} from "@gadget/api";
import { type EmbeddedMongo, startEmbeddedMongo } from "@gadget/embedded-mongo";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../page.ts";
import { type Command, SlowDatabase } from "../slow-database.ts";
import type { ScriptedDrone } from "./scripted-drone.ts";
import { TurnServer } from "./turn-server.ts";

let folder: string;
let mongo: EmbeddedMongo;
let database: SlowDatabase;
let server: TurnServer;
let drone: ScriptedDrone;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gadget-noted-"));
  mongo = await startEmbeddedMongo({ dataDir: folder, port: 0 });
  database = await SlowDatabase.start(mongo.uri);
  server = await TurnServer.start({ MONGODB_URI: database.uri });
  drone = await server.newDrone();
  await drone.connect();
});
afterAll(async () => {
  drone.disconnect();
  await server.close();
  await database.stop();
  await mongo.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => {
  database.fails = () => undefined;
});

async function running(): Promise<{ sessionId: SessionId; turnId: TurnId }> {
  const sessionId = await server.newSession(drone.id);
  const { id: turnId } = await server.submit(sessionId);
  expect((await drone.order()).turnId).toBe(turnId);
  return { sessionId, turnId };
}

/** The first write like this one is refused; the database is in trouble for a moment. */
function failOnce(isIt: (command: Command) => boolean): void {
  let failed = false;
  database.fails = (command) => {
    if (failed || !isIt(command)) {
      return undefined;
    }
    failed = true;
    return { code: 8, errmsg: "for a moment" };
  };
}

const failing = {
  "the turn": (command: Command) => command["findAndModify"] === "turns",
  "the session": (command: Command) =>
    command["update"] === server.app.context.models.sessions.collection.name,
  "the queue": (command: Command) => command["delete"] === "queuedMessages",
};
const approvalId = newId(ApprovalId);

/** Gives a function that says, as often as it is called, all that has an effect beside the log. */
async function sayAll(turnId: TurnId): Promise<() => Promise<unknown>> {
  const text = "left, not right";
  const sent = await server.call("sendMessage", {
    params: { id: turnId },
    body: { text, mode: "steer" },
  });
  const asked = { approvalId, name: "shell", command: "make all", prefix: "make" };
  await drone.send(turnId, { type: "approval:open", ...asked });
  await server.call("answerApproval", {
    params: { id: turnId, approvalId },
    body: { decision: "session" },
  });
  const held = drone.held.get(turnId);
  if (held === undefined) {
    throw new Error("the drone does not hold this turn");
  }
  const head = { turnId, epoch: held.order.epoch, at: new Date().toISOString() };
  const first = held.nextSeq;
  const file = { path: "a.ts", change: "created", added: 1, removed: 0 } as never;
  const bodies = [
    { type: "approval:closed", approvalId, decision: "session" },
    { type: "message:steered", messageId: sent.body.message.id, text },
    { type: "usage", usage: { inputTokens: 3, outputTokens: 2 } },
    { type: "file:changed", file },
    { type: "history:compacted", summary: "all of it", throughTurnId: turnId },
  ] as const;
  held.nextSeq += bodies.length;
  const events = bodies.map((body, place) => ({ ...head, seq: first + place, ...body }));
  return () => drone.sendEvents(turnId, held.order.epoch, events);
}

async function nothingIsMissing(turnId: TurnId, sessionId: SessionId): Promise<void> {
  const turn = await becomes(
    () => server.turn(turnId),
    ({ status }) => isSettled(status),
  );
  expect(turn).toMatchObject({
    usage: { inputTokens: 3, outputTokens: 2 },
    filesChanged: [{ path: "a.ts" }],
  });
  expect(turn.waitingFor).toBeUndefined();
  const queue = await server.call("listQueue", { params: { id: sessionId } });
  expect(queue.body.items).toEqual([]);
  const { sessions } = server.app.context.models;
  expect(await sessions.findById(sessionId).lean()).toMatchObject({
    allowed: ["make"],
    compacted: { summary: "all of it" },
  });
}

describe("a write that fails once after a turn's events were stored", () => {
  for (const [what, isIt] of Object.entries(failing)) {
    it(`A30 of ${what}: what the drone sends again is noted`, async () => {
      const { turnId, sessionId } = await running();
      const said = await sayAll(turnId);
      failOnce(isIt);
      await expect(said()).rejects.toMatchObject({ code: "internal" });
      expect(await said()).toMatchObject({ storedSeq: expect.any(Number) });
      await drone.complete(turnId, true, "aborted");
      await nothingIsMissing(turnId, sessionId);
    });

    it(`A30 A36 of ${what}: a server that starts again notes it`, async () => {
      const { turnId, sessionId } = await running();
      const said = await sayAll(turnId);
      failOnce(isIt);
      await expect(said()).rejects.toMatchObject({ code: "internal" });
      const next = await TurnServer.again({ MONGODB_URI: database.uri }, server);
      const moved = drone.movedTo(next.url);
      const held = drone.held.get(turnId);
      if (held !== undefined) {
        moved.held.set(turnId, held);
      }
      drone.held.delete(turnId);
      await moved.connect();
      await moved.complete(turnId, true, "aborted");
      await nothingIsMissing(turnId, sessionId);
      moved.disconnect();
      await next.close();
      drone.disconnect();
      await drone.connect();
    });

    it(`A30 A36 of ${what}: nobody comes back, and the end notes it`, async () => {
      const { turnId, sessionId } = await running();
      const said = await sayAll(turnId);
      failOnce(isIt);
      await expect(said()).rejects.toMatchObject({ code: "internal" });
      const { live } = server.app.context;
      live.get(turnId)?.letGo();
      expect((await server.cancel(turnId, true)).status).toBe(200);
      drone.held.delete(turnId);
      await nothingIsMissing(turnId, sessionId);
    });
  }
});

describe("what a running turn's events say of it", () => {
  it("A30 is shown before its end writes it, also after a server that starts again", async () => {
    const { turnId, sessionId } = await running();
    const said = await sayAll(turnId);
    await said();
    const facts = {
      status: "processing",
      usage: { inputTokens: 3, outputTokens: 2 },
      filesChanged: [{ path: "a.ts" }],
    };
    expect(await server.turn(turnId)).toMatchObject(facts);
    const page = await openPage(server.url, { token: server.token, cookie: "" });
    const seen: ChatTurn[] = [];
    page.socket.on("turnChanged", ({ turn }) => seen.push(turn));
    await ask(page.socket, ideCommands, "joinSession", [{ sessionId }], 10_000);
    server.app.context.live.get(turnId)?.letGo();
    await drone.greet();
    expect(await server.turn(turnId)).toMatchObject(facts);
    const aborting = { ...facts, status: "aborting" };
    expect((await server.cancel(turnId)).body.turn).toMatchObject(aborting);
    await becomes(
      () => server.app.context.models.turns.findById(turnId).lean(),
      (turn) => turn?.status === "aborting",
    );
    await drone.complete(turnId, true);
    expect(await server.turn(turnId)).toMatchObject({ ...facts, status: "finished" });
    const told = seen.filter(({ id }) => id === turnId);
    expect(told.length).toBeGreaterThan(1);
    for (const turn of told) {
      expect(turn).toMatchObject({ usage: facts.usage, filesChanged: facts.filesChanged });
    }
    page.close();
  });

  it("A30 is there where the write of its end failed once", async () => {
    const { turnId, sessionId } = await running();
    const said = await sayAll(turnId);
    await said();
    failOnce(
      (command) =>
        command["findAndModify"] === "turns" && JSON.stringify(command).includes("settledAt"),
    );
    await expect(drone.complete(turnId, true)).rejects.toMatchObject({ code: "internal" });
    await drone.complete(turnId, true);
    await nothingIsMissing(turnId, sessionId);
  });
});

describe("a batch of which one event can never be stored", () => {
  it("A35 loses nothing when the database fails half-way", async () => {
    const { turnId } = await running();
    const good = { type: "notice", level: "info", text: "good" } as const;
    const bad = { type: "notice", level: "info", text: "never" } as const;
    const says = (command: Command, text: string): boolean =>
      command["insert"] === "turnEvents" && JSON.stringify(command).includes(text);
    let isFirst = true;
    database.fails = (command) => {
      if (says(command, '"never"')) {
        return { code: 2, errmsg: "never" };
      }
      if (isFirst && says(command, "event_left_out")) {
        isFirst = false;
        return { code: 8, errmsg: "for a moment" };
      }
      return undefined;
    };
    const held = drone.held.get(turnId);
    const first = held?.nextSeq ?? 0;
    await expect(drone.send(turnId, good, bad)).rejects.toMatchObject({ code: "internal" });
    expect(await drone.send(turnId, good)).toEqual({ storedSeq: first + 2 });
    await drone.complete(turnId, true);
    const events = await server.events(turnId);
    expect(events.filter(({ type }) => type === "notice")).toMatchObject([
      { text: "good" },
      { code: "event_left_out" },
      { text: "good" },
    ]);
  });
});

describe("a database that fails while an order is made", () => {
  it("A1 puts the turn back into the queue instead of failing it", async () => {
    const sessionId = await server.newSession(drone.id);
    let inserts = 0;
    // The first one belongs to the prompt itself, the second one to its order.
    database.fails = (command) => {
      inserts += command["insert"] === "turnEvents" ? 1 : 0;
      return inserts === 2 ? { code: 8, errmsg: "for a moment" } : undefined;
    };
    const { id: turnId } = await server.submit(sessionId);
    await becomes(
      () => inserts,
      (count) => count >= 2,
    );
    database.fails = () => undefined;
    await becomes(
      async () => (await drone.heartbeat(), drone.held.has(turnId)),
      (isHeld) => isHeld,
    );
    await drone.complete(turnId, true);
    expect((await server.turn(turnId)).status).toBe("finished");
  });

  it("A1 puts back what its drone refused, where that could not be written at once", async () => {
    const { accept } = drone;
    drone.accept = () => false;
    let isFailed = false;
    database.fails = (command) => {
      const text = JSON.stringify(command);
      if (isFailed || command["findAndModify"] !== "turns" || !text.includes('"lease":1')) {
        return undefined;
      }
      isFailed = true;
      return { code: 8, errmsg: "for a moment" };
    };
    const { id: turnId } = await server.submit(await server.newSession(drone.id));
    await becomes(
      () => isFailed,
      (failed) => failed,
    );
    drone.accept = accept;
    await becomes(
      async () => (await drone.heartbeat(), drone.held.has(turnId)),
      (isHeld) => isHeld,
    );
    await drone.complete(turnId, true);
    expect((await server.turn(turnId)).status).toBe("finished");
  });
});
