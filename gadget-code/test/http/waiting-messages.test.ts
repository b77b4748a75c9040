import {
  ask,
  ideCommands,
  ideNotices,
  MessageId,
  newId,
  type SessionId,
  subscribe,
  TurnId,
} from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPage } from "../page.ts";
import type { Person } from "../person.ts";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { startTurn } from "./start-turn.ts";

let server: TestServer;
let ada: Person;
let drone: ScriptedDrone;

beforeAll(async () => {
  server = await startServer();
  ada = server.owner;
  const orders = { deliverMessage: () => ({}) };
  // More turns than it would take are left running here.
  drone = await connectDrone(server, ada, { orders, capacity: 20 });
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

const send = (id: TurnId, text: string, mode: "queue" | "steer" = "queue") =>
  ada.refusal("sendMessage", { params: { id }, body: { text, mode } });
const waiting = async (id: SessionId) =>
  (await ada.ask("listQueue", { params: { id } })).items.map(({ text }) => text);

it("ten messages can wait, queued and steering ones together, and one more when one is deleted", async () => {
  const { turn, session } = await startTurn(ada, drone);
  for (let n = 1; n <= 10; n++) {
    expect(await send(turn.id, `${n}`, n % 2 === 0 ? "steer" : "queue")).toBeUndefined();
  }
  for (const mode of ["queue", "steer"] as const) {
    expect(await send(turn.id, "one too many", mode)).toMatchObject({ code: "queue_full" });
  }
  const { items } = await ada.ask("listQueue", { params: { id: session.id } });
  expect(items).toHaveLength(10);
  const messageId = items[0]?.id ?? "";
  await ada.send("deleteQueued", { params: { id: session.id, messageId } });
  expect(await send(turn.id, "fits again")).toBeUndefined();
  expect(await waiting(session.id)).toHaveLength(10);
});

it("not more than ten wait when they are sent at the same time", async () => {
  const { turn, session } = await startTurn(ada, drone);
  const texts = Array.from({ length: 24 }, (_, n) => `message ${n}`);
  const refusals = await Promise.all(texts.map((text) => send(turn.id, text)));
  const taken = refusals.filter((refusal) => refusal === undefined);
  const codes = new Set(refusals.flatMap((refusal) => refusal?.code ?? []));
  expect(await waiting(session.id)).toHaveLength(taken.length);
  expect(taken).toHaveLength(10);
  expect([...codes]).toEqual(["queue_full"]);
});

it("a message that is sent again is the same message, and its id is nobody else's", async () => {
  const [one, other] = [await startTurn(ada, drone), await startTurn(ada, drone)];
  const page = await openPage(server.url, ada);
  const message = { messageId: newId(MessageId), text: "once", mode: "steer" as const };
  const sent = (turnId: TurnId) =>
    ask(page.socket, ideCommands, "sendMessage", [{ turnId, ...message }], 10_000);
  await Promise.all([sent(one.turn.id), sent(one.turn.id)]);
  await sent(one.turn.id);
  expect(await waiting(one.session.id)).toEqual(["once"]);
  await expect(sent(other.turn.id)).rejects.toMatchObject({ code: "conflict" });
  expect(await waiting(other.session.id)).toEqual([]);
  page.close();
});

it("A8 what a cut-off turn leaves waiting is paused until somebody resumes it, whatever finishes", async () => {
  const { turn, session } = await startTurn(ada, drone);
  const params = { id: session.id };
  for (const text of ["one", "two", "three"]) {
    await send(turn.id, text);
  }
  const queue = async () =>
    (await ada.ask("listQueue", { params })).items.map(({ text, paused }) => [text, paused]);
  expect(await queue()).toEqual([
    ["one", undefined],
    ["two", undefined],
    ["three", undefined],
  ]);
  const page = await openPage(server.url, ada);
  await ask(page.socket, ideCommands, "joinSession", [{ sessionId: session.id }], 10_000);
  const told: (string | undefined)[][] = [];
  subscribe(
    page.socket,
    ideNotices,
    { queueChanged: (changed) => void told.push(changed.queue.map(({ paused }) => paused)) },
    () => {},
  );
  await ada.ask("cancelTurn", { params: { id: turn.id } });
  await drone.complete(turn.id, true, "aborted");
  await becomes(
    () => told.at(-1),
    (last) => last?.every((paused) => paused === "aborted") === true,
  );

  const { turn: mine } = await ada.ask("submitTurn", { params, body: { prompt: "my own" } });
  await drone.order(mine.id);
  await send(mine.id, "sent later");
  await drone.complete(mine.id, true);
  // The later one is not held back by the abort before it; those that were are not released.
  const next = await becomes(
    async () => (await ada.ask("listSessionTurns", { params, query: { limit: 1 } })).items[0],
    (newest) => newest?.prompt === "sent later",
  );
  if (next === undefined) {
    throw new Error("nothing was sent");
  }
  await drone.order(next.id);
  await drone.complete(next.id, true);
  expect(await queue()).toEqual([
    ["one", "aborted"],
    ["two", "aborted"],
    ["three", "aborted"],
  ]);

  const { items } = await ada.ask("listQueue", { params });
  const [one, , three] = items;
  if (one === undefined || three === undefined) {
    throw new Error("the queue is empty");
  }
  await ada.ask("updateQueued", {
    params: { ...params, messageId: three.id },
    body: { before: one.id },
  });
  expect((await queue()).map(([text]) => text)).toEqual(["three", "one", "two"]);
  await ada.ask("updateQueued", {
    params: { ...params, messageId: three.id },
    body: { before: null },
  });
  expect((await queue()).map(([text]) => text)).toEqual(["one", "two", "three"]);
  const left = await ada.ask("resumeQueue", { params });
  expect(left.items.map(({ text, paused }) => [text, paused])).toEqual([
    ["two", undefined],
    ["three", undefined],
  ]);
  await drone.order(TurnId.parse(one.id));
  await ada.ask("clearQueue", { params });
  expect(await queue()).toEqual([]);
  await drone.complete(TurnId.parse(one.id), true);
  page.close();
});
