import { ask, ideCommands, MessageId, newId, type SessionId, type TurnId } from "@gadget/api";
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
  drone = await connectDrone(server, ada, { orders: { deliverMessage: () => ({}) } });
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
