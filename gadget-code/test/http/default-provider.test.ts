import type { Model, Provider } from "@gadget/api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";

let server: TestServer;
let drone: ScriptedDrone;
/** What the drone says of every provider. */
const answers: { ok: boolean; models: Model[] } = { ok: true, models: [] };
beforeAll(async () => {
  server = await startServer();
  drone = await connectDrone(server, server.owner, {
    orders: {
      testProvider: () => ({ ...answers, message: "So it says." }),
      listModels: () => ({ models: answers.models }),
    },
  });
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

async function addProvider(fields: { name: string; defaultModel?: string }): Promise<Provider> {
  const body = { kind: "openai" as const, apiKey: "key", ...fields };
  return (await server.owner.ask("createProvider", { body })).provider;
}

async function newProject() {
  const { project } = await server.owner.ask("createProject", { body: { name: "Another" } });
  const params = { id: project.id };
  const start = async () => (await server.owner.ask("createSession", { params })).session;
  return { project, start };
}

const test = async ({ id }: Provider, ok: boolean, ...models: Model[]) => {
  Object.assign(answers, { ok, models });
  await server.owner.ask("testProvider", { params: { id } });
};

const read = async ({ id }: Provider) => {
  const { items } = await server.owner.ask("listProviders");
  return items.find((provider) => provider.id === id);
};

it("a provider that failed its test is not taken, until it answers or is changed", async () => {
  const good = await addProvider({ name: "Good", defaultModel: "good" });
  const bad = await addProvider({ name: "Bad", defaultModel: "bad" });
  const { start } = await newProject();
  expect(await start()).toMatchObject({ providerId: bad.id, model: "bad" });
  await test(bad, false);
  expect(await start()).toMatchObject({ providerId: good.id, model: "good" });
  await test(bad, true, { id: "bad" });
  expect((await start()).providerId).toBe(bad.id);
  await test(bad, false);
  const body = { baseUrl: "http://127.0.0.1:1/v1" };
  await server.owner.ask("updateProvider", { params: { id: bad.id }, body });
  expect((await start()).providerId).toBe(bad.id);
  await test(bad, false);
});

it("after a good test the first model is the default, if there is none; one that is set stays", async () => {
  const bare = await addProvider({ name: "Without a model" });
  await test(bare, false, { id: "one" });
  expect((await read(bare))?.defaultModel).toBeUndefined();
  await test(bare, true, { id: "no-tools", tools: false }, { id: "one" }, { id: "two" });
  expect(await read(bare)).toMatchObject({ defaultModel: "one", lastTest: { ok: true } });
  const { start } = await newProject();
  expect(await start()).toMatchObject({ providerId: bare.id, model: "one" });
  await test(bare, true, { id: "two" });
  expect((await read(bare))?.defaultModel).toBe("one");
});

it("what a project remembers and is gone gives way to the default", async () => {
  const { owner } = server;
  const kept = await addProvider({ name: "Kept", defaultModel: "default" });
  const { project, start } = await newProject();
  const params = { id: project.id };
  const choose = (providerId: Provider["id"], model: string) =>
    owner.ask("createSession", { params, body: { providerId, model } });
  await choose(kept.id, "old");
  expect((await start()).model).toBe("old");
  await test(kept, true, { id: "default" }, { id: "new" });
  expect(await start()).toMatchObject({ providerId: kept.id, model: "default" });
  const removed = await addProvider({ name: "Removed", defaultModel: "other" });
  await choose(removed.id, "other");
  await owner.ask("deleteProvider", { params: { id: removed.id } });
  expect(await start()).toMatchObject({ providerId: kept.id, model: "default" });
});

it("the demo's model is never asked of another provider that does not name it", async () => {
  const { owner } = server;
  const real = await addProvider({ name: "Real", defaultModel: "real" });
  const { project } = await newProject();
  const orderOf = async (provider: Provider) => {
    const created = await owner.ask("createSession", {
      params: { id: project.id },
      body: { providerId: provider.id },
    });
    const params = { id: created.session.id };
    await owner.ask("updateSession", { params, body: { model: "demo" } });
    const { turn } = await owner.ask("submitTurn", { params, body: { prompt: "Hello" } });
    const order = await drone.order(turn.id);
    await drone.complete(turn.id, true);
    return order;
  };
  expect((await orderOf(real)).model).toBe("real");
  const start = await owner.ask("createSession", {
    params: { id: project.id },
    body: { providerId: real.id, model: "demo" },
  });
  expect(start.session.model).toBe("real");
  const scripted = await addProvider({ name: "A demo model of one's own", defaultModel: "demo" });
  expect((await orderOf(scripted)).model).toBe("demo");
});
