import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTerminal, type TurnEventBody, type TurnId } from "@gadget/api";
import { type EmbeddedMongo, startEmbeddedMongo } from "@gadget/embedded-mongo";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Command, SlowDatabase } from "../slow-database.ts";
import type { ScriptedDrone } from "./scripted-drone.ts";
import { TurnServer } from "./turn-server.ts";

let folder: string;
let mongo: EmbeddedMongo;
let database: SlowDatabase;
let server: TurnServer;
let drone: ScriptedDrone;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gadget-force-"));
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
  database.wake();
});

const said = "what the drone said last";
const last: TurnEventBody = { type: "notice", level: "info", text: said };

/** The batch of the log that holds what was said last. */
const isLast = (command: Command): boolean =>
  command["insert"] === "turnEvents" && JSON.stringify(command).includes(said);
const isNote = (command: Command): boolean =>
  command["findAndModify"] === "turns" && JSON.stringify(command).includes("finishing");

async function running(): Promise<TurnId> {
  const { id } = await server.submit(await server.newSession(drone.id));
  expect((await drone.order()).turnId).toBe(id);
  return id;
}

/** On a busy machine its answer may come before the end that it asks for, never instead of it. */
async function forced(turnId: TurnId): Promise<void> {
  expect((await server.cancel(turnId, true)).status).toBe(200);
  await becomes(
    async () => (await server.turn(turnId)).status,
    (status) => status === "aborted",
  );
}

async function endedOnce(turnId: TurnId): Promise<string[]> {
  const events = await becomes(
    () => server.events(turnId),
    (list) => list.some(isTerminal),
  );
  expect(events.filter(isTerminal)).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ status: "aborted", abortedBy: { name: "Olive" } });
  drone.held.delete(turnId);
  return events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
}

describe("Force stop", () => {
  it("A17 does not wait for a write of the log that gets no answer", async () => {
    const turnId = await running();
    const before = database.held;
    database.keeps = isLast;
    const sent = drone.send(turnId, last);
    await becomes(
      () => database.held,
      (held) => held > before,
    );
    await forced(turnId);
    expect(await endedOnce(turnId)).toEqual([]);
    database.wake();
    expect(await sent).toMatchObject({ lost: true });
    expect(await endedOnce(turnId)).toEqual([]);
  });

  it("A17 does not wait for what the log says to be noted on the turn", async () => {
    const turnId = await running();
    const before = database.held;
    database.keeps = isNote;
    const sent = drone.send(turnId, {
      type: "turn:changed",
      status: "processing",
      waitingFor: "finishing",
    });
    sent.catch(() => {});
    await becomes(
      () => database.held,
      (held) => held > before,
    );
    await forced(turnId);
    await endedOnce(turnId);
  });

  it("A17 does not wait for a batch that can't be stored", async () => {
    const turnId = await running();
    database.fails = (command) => (isLast(command) ? { code: 8, errmsg: "never" } : undefined);
    await expect(drone.send(turnId, last)).rejects.toMatchObject({ code: "internal" });
    await forced(turnId);
    expect(await endedOnce(turnId)).toEqual([]);
  });

  it("A30 keeps what was shown where the database takes it", async () => {
    const turnId = await running();
    const part = { type: "text:delta", partId: "a", text: "half a sen" } as const;
    await drone.send(turnId, { type: "text:start", partId: "a", step: 1 });
    // Deltas alone wait for company.
    const sent = drone.send(turnId, part);
    await becomes(
      () => server.app.context.live.get(turnId),
      (held) => held !== undefined && held.receivedSeq > held.storedSeq,
    );
    await forced(turnId);
    await sent;
    await endedOnce(turnId);
    expect(await server.events(turnId)).toContainEqual(expect.objectContaining(part));
  });
});
