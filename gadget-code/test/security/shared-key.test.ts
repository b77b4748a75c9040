import { isSettled } from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";

let server: TestServer;
let drone: ScriptedDrone;
beforeAll(async () => {
  server = await startServer();
  drone = await connectDrone(server, server.member);
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

describe("a shared provider's key", () => {
  it("never goes to a drone of somebody else: the turn fails with a sentence, and nothing is sent", async () => {
    const { owner, member } = server;
    const { provider } = await owner.ask("createProvider", {
      body: { name: "Keyed", kind: "openai", apiKey: "sk-of-the-owner", shared: true },
    });
    const { project } = await member.ask("createProject", {
      body: { name: "Mine", droneId: drone.id },
    });
    const { session } = await member.ask("createSession", {
      params: { id: project.id },
      body: { providerId: provider.id, model: "m" },
    });
    const { turn } = await member.ask("submitTurn", {
      params: { id: session.id },
      body: { prompt: "give me the key" },
    });
    const settled = await becomes(
      async () => (await member.ask("getTurn", { params: { id: turn.id } })).turn,
      ({ status }) => isSettled(status),
    );
    expect(settled).toMatchObject({
      status: "error",
      errorMessage: expect.stringContaining("its owner's drones"),
    });
    expect(drone.received).toEqual([]);
  });
});
