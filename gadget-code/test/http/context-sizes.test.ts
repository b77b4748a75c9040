import type { ProviderAccess } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";

let server: TestServer;
let drone: ScriptedDrone;
const asked: ProviderAccess[] = [];
beforeAll(async () => {
  server = await startServer();
  drone = await connectDrone(server, server.owner, {
    orders: {
      listModels: ({ provider }) => {
        asked.push(provider);
        return { models: [{ id: "small", contextWindow: 5_000 }] };
      },
    },
  });
});
afterAll(async () => {
  drone.close();
  await server.stop();
});

const small = { model: "small", contextWindow: 5_000 };

async function addProvider() {
  const body = {
    name: "Local",
    kind: "openai" as const,
    apiKey: "key",
    contextWindow: 9_000,
    contextWindows: [small],
  };
  return (await server.owner.ask("createProvider", { body })).provider;
}

describe("the context size of a model", () => {
  it("is kept, replaced and removed; two for one model are refused", async () => {
    const { owner } = server;
    const made = await addProvider();
    expect(made).toMatchObject({ contextWindow: 9_000, contextWindows: [small] });
    const params = { id: made.id };
    const large = { model: "large", contextWindow: 200_000 };
    const change = async (contextWindows: (typeof small)[] | null) =>
      (await owner.ask("updateProvider", { params, body: { contextWindows } })).provider;
    expect((await change([small, large])).contextWindows).toEqual([small, large]);
    expect(await change(null)).not.toHaveProperty("contextWindows");
    for (const contextWindows of [
      [small, small],
      [{ model: "tiny", contextWindow: 100 }],
      [{ model: "", contextWindow: 5_000 }],
    ]) {
      const refusal = await owner.refusal("updateProvider", { params, body: { contextWindows } });
      expect(refusal?.code).toBe("invalid");
    }
  });

  it("is what a turn of that model plans with, and others with what is set for all", async () => {
    const { owner } = server;
    const provider = await addProvider();
    const { project } = await owner.ask("createProject", { body: { name: "P" } });
    const { session } = await owner.ask("createSession", {
      params: { id: project.id },
      body: { providerId: provider.id, model: "small" },
    });
    const params = { id: session.id };
    const planned = async () => {
      const { turn } = await owner.ask("submitTurn", { params, body: { prompt: "Hello" } });
      const order = await drone.order(turn.id);
      await drone.complete(turn.id, true);
      return order.provider.contextWindow;
    };
    expect(await planned()).toBe(5_000);
    await owner.ask("updateSession", { params, body: { model: "other" } });
    expect(await planned()).toBe(9_000);
    await owner.ask("listModels", { params: { id: provider.id } });
    expect(asked.at(-1)).toMatchObject({ contextWindow: 9_000, contextWindows: [small] });
  });
});
