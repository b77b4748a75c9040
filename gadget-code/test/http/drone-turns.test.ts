import { isTerminal } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Person } from "../person.ts";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { startTurn } from "./start-turn.ts";

let server: TestServer;
let third: Person;
let drone: ScriptedDrone;

beforeAll(async () => {
  server = await startServer();
  third = await server.join("Sam");
  drone = await connectDrone(server, server.owner);
  const params = { id: drone.id };
  await server.owner.ask("updateDrone", { params, body: { shared: true } });
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

describe("turns on a shared drone", () => {
  it("are listed to its owner without what they say, and end by the owner's Cancel", async () => {
    const { owner, member } = server;
    const params = { id: drone.id };
    const { turn, session } = await startTurn(member, drone, "my secret plan");
    const file = { path: "secret.txt", change: "created", added: 1, removed: 0 } as const;
    await drone.send(turn.id, { type: "file:changed", file });

    const seen = await owner.send("listDroneTurns", { params });
    const text = await seen.text();
    expect(text).not.toContain("secret");
    expect(text).not.toContain(session.id);
    expect(JSON.parse(text)).toMatchObject({
      items: [{ id: turn.id, status: "processing", by: { name: "Mika" } }],
      nextCursor: null,
    });
    const mine = await member.ask("listDroneTurns", { params });
    expect(mine.items).toMatchObject([
      { id: turn.id, own: { sessionId: session.id, prompt: "my secret plan" } },
    ]);
    expect((await third.ask("listDroneTurns", { params })).items).toEqual([]);
    for (const query of [{}, { force: "true" as const }]) {
      const refused = await third.refusal("cancelTurn", { params: { id: turn.id }, query });
      expect(refused?.code).toBe("not_found");
    }

    const cancelled = await owner.ask("cancelTurn", { params: { id: turn.id } });
    expect(cancelled.turn).toMatchObject({ status: "aborting", prompt: "", filesChanged: [] });
    expect((await owner.ask("listDroneTurns", { params })).items).toMatchObject([
      { id: turn.id, status: "aborting" },
    ]);
    await drone.complete(turn.id, true, "aborted");
    const { turn: ended } = await member.ask("getTurn", { params: { id: turn.id } });
    expect(ended).toMatchObject({ status: "aborted", abortedBy: { name: "Olive" } });
    const { items } = await member.ask("listEvents", { params: { id: turn.id } });
    expect(items.find(isTerminal)).toMatchObject({ abortedBy: { name: "Olive" } });
    expect((await owner.ask("listDroneTurns", { params })).items).toEqual([]);
  });

  it("are nobody's business once the drone is not shared", async () => {
    const params = { id: drone.id };
    await server.owner.ask("updateDrone", { params, body: { shared: false } });
    const refused = await third.refusal("listDroneTurns", { params });
    expect(refused?.code).toBe("not_found");
  });
});
