import { afterAll, beforeAll, expect, it } from "vitest";
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

it("a new session takes the newest provider with its model, and the demo only when there is no other", async () => {
  const { owner } = server;
  const { project } = await owner.ask("createProject", { body: { name: "Plain" } });
  const params = { id: project.id };
  const start = async () => (await owner.ask("createSession", { params })).session;
  const { items } = await owner.ask("listProviders");
  const demo = items.find(({ kind }) => kind === "demo");
  expect(await start()).toMatchObject({ providerId: demo?.id, model: "demo" });

  const add = async (name: string, defaultModel?: string) => {
    const body = {
      name,
      kind: "openai" as const,
      apiKey: "key",
      ...(defaultModel && { defaultModel }),
    };
    return (await owner.ask("createProvider", { body })).provider;
  };
  await add("First", "one");
  const second = await add("Second", "two");
  expect(await start()).toMatchObject({ providerId: second.id, model: "two" });
});

it("a provider that is chosen never keeps the model of the one before", async () => {
  const { owner } = server;
  const { project } = await owner.ask("createProject", { body: { name: "Other" } });
  const { items } = await owner.ask("listProviders");
  const demo = items.find(({ kind }) => kind === "demo");
  const { session } = await owner.ask("createSession", {
    params: { id: project.id },
    body: { ...(demo && { providerId: demo.id }), model: "demo" },
  });
  const bare = await owner.ask("createProvider", {
    body: { name: "Bare", kind: "openai", apiKey: "key" },
  });
  const choose = (providerId: typeof bare.provider.id) =>
    owner.ask("updateSession", { params: { id: session.id }, body: { providerId } });
  expect((await choose(bare.provider.id)).session).toMatchObject({
    providerId: bare.provider.id,
    model: null,
  });
  const named = items.find(({ defaultModel, kind }) => defaultModel === "two" && kind === "openai");
  if (named === undefined) {
    throw new Error("the other provider is gone");
  }
  expect((await choose(named.id)).session.model).toBe("two");
  const again = await owner.ask("createSession", { params: { id: project.id } });
  expect(again.session).toMatchObject({ providerId: named.id, model: "two" });
});

it("a provider keeps how long its models shall think, and lets it be chosen by the model again", async () => {
  const { owner } = server;
  const body = { name: "Thinks", kind: "openai" as const, apiKey: "key" };
  const made = await owner.ask("createProvider", { body: { ...body, reasoningEffort: "low" } });
  expect(made.provider.reasoningEffort).toBe("low");
  const params = { id: made.provider.id };
  const change = async (reasoningEffort: "off" | null) =>
    (await owner.ask("updateProvider", { params, body: { reasoningEffort } })).provider;
  expect((await change("off")).reasoningEffort).toBe("off");
  expect((await change(null)).reasoningEffort).toBeUndefined();
  const wrong = { ...body, reasoningEffort: "much" as "high" };
  await expect(owner.ask("createProvider", { body: wrong })).rejects.toMatchObject({
    code: "invalid",
  });
});
