import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";

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

describe("a turn over REST", () => {
  it("is submitted, run by a drone and read back", async () => {
    const { owner } = server;
    const { project } = await owner.ask("createProject", { body: { name: "Plain" } });
    const { session } = await owner.ask("createSession", { params: { id: project.id } });
    const { turn } = await owner.ask("submitTurn", {
      params: { id: session.id },
      body: { prompt: "hello" },
    });
    const order = await drone.order(turn.id);
    expect(order.prompt).toBe("hello");
    await drone.send(turn.id, { type: "text:start", partId: "p1" });
    await drone.send(turn.id, { type: "text:end", partId: "p1", text: "Hi." });
    await drone.complete(turn.id, true);
    const { turn: settled } = await owner.ask("getTurn", { params: { id: turn.id } });
    expect(settled.status).toBe("finished");
  });
});
