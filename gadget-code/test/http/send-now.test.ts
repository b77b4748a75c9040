import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { startTurn } from "./start-turn.ts";

let server: TestServer;
let drone: ScriptedDrone;

beforeAll(async () => {
  server = await startServer();
  drone = await connectDrone(server, server.owner);
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

describe("Send now", () => {
  it("makes a message that waits one turn, however often it is asked and wherever it was cut", async () => {
    const { owner } = server;
    const { models } = server.database;
    const { turn, session } = await startTurn(owner, drone, "first");
    const said = { text: "and then?", mode: "queue" as const };
    const { message } = await owner.ask("sendMessage", { params: { id: turn.id }, body: said });
    const params = { id: session.id, messageId: message.id };
    const busy = await owner.refusal("sendQueued", { params });
    expect(busy?.code).toBe("busy");
    await owner.ask("cancelTurn", { params: { id: turn.id } });
    await drone.complete(turn.id, true, "aborted");

    const stored = await models.messages.findById(message.id).lean();
    const answers = await Promise.all([1, 2, 3].map(() => owner.ask("sendQueued", { params })));
    for (const answer of answers) {
      expect(answer.turn.prompt).toBe("and then?");
    }
    expect(new Set(answers.map(({ turn: { id } }) => id)).size).toBe(1);
    const [next] = answers.map(({ turn: { id } }) => id);
    if (next === undefined || stored === null) {
      throw new Error("nothing was sent");
    }
    await drone.order(next);
    expect((await owner.ask("listQueue", { params: { id: session.id } })).items).toEqual([]);
    await drone.complete(next, true);

    // As a crash between the two writes leaves it, and edited since.
    await models.messages.create([{ ...stored, text: "edited" }]);
    const again = await owner.ask("sendQueued", { params });
    expect(again.turn).toMatchObject({ id: next, prompt: "and then?", status: "finished" });
    const turns = await becomes(
      () => owner.ask("listSessionTurns", { params: { id: session.id } }),
      ({ items }) => items.every(({ settledAt }) => settledAt !== undefined),
    );
    expect(turns.items).toHaveLength(2);
    expect((await owner.ask("listQueue", { params: { id: session.id } })).items).toEqual([]);
    expect((await server.member.refusal("sendQueued", { params }))?.code).toBe("not_found");
  });
});
