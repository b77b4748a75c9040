import { ask, type ChatTurn, ideCommands, type ProviderId, type SessionId } from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../page.ts";
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

const cheap = { input: 1, output: 2 };
const big = { input: 10, output: 20, cachedInput: 1 };

async function newProvider(): Promise<ProviderId> {
  const body = { name: "Local", kind: "ollama", baseUrl: "http://127.0.0.1:1" } as const;
  return (await server.owner.ask("createProvider", { body })).provider.id;
}

async function newSession(providerId: ProviderId, model: string): Promise<SessionId> {
  const { owner } = server;
  const { project } = await owner.ask("createProject", { body: { name: "P", droneId: drone.id } });
  const body = { providerId, model };
  return (await owner.ask("createSession", { params: { id: project.id }, body })).session.id;
}

/** A turn from its prompt to its end, with so many tokens. */
async function runTurn(sessionId: SessionId, usage: { estimated?: boolean } = {}) {
  const { owner } = server;
  const params = { id: sessionId };
  const { turn } = await owner.ask("submitTurn", { params, body: { prompt: "hello" } });
  await drone.order(turn.id);
  const tokens = { inputTokens: 100_000, outputTokens: 10_000, cachedInputTokens: 50_000 };
  await drone.send(turn.id, { type: "usage", usage: { ...tokens, ...usage } });
  await drone.complete(turn.id, true);
  return (await owner.ask("getTurn", { params: { id: turn.id } })).turn;
}

describe("a provider's prices", () => {
  it("are kept, replaced and removed", async () => {
    const { owner } = server;
    const id = await newProvider();
    const params = { id };
    const prices = [cheap, { model: "big", ...big }];
    const changed = await owner.ask("updateProvider", { params, body: { prices } });
    expect(changed.provider.prices).toEqual(prices);
    const { items } = await owner.ask("listProviders", {});
    expect(items.find((provider) => provider.id === id)?.prices).toEqual(prices);
    await owner.ask("updateProvider", { params, body: { name: "Renamed" } });
    const removed = await owner.ask("updateProvider", { params, body: { prices: null } });
    expect(removed.provider).not.toHaveProperty("prices");
  });

  it("are refused where they are negative or two for one model", async () => {
    const params = { id: await newProvider() };
    for (const prices of [[{ input: -1, output: 1 }], [cheap, cheap]]) {
      const refusal = await server.owner.refusal("updateProvider", { params, body: { prices } });
      expect(refusal?.code).toBe("invalid");
    }
  });
});

describe("what a turn costs", () => {
  it("stays what it was when it started, by its model's own price, and adds up", async () => {
    const { owner } = server;
    const id = await newProvider();
    const params = { id };
    const prices = [cheap, { model: "big", ...big }];
    await owner.ask("updateProvider", { params, body: { prices } });
    const sessionId = await newSession(id, "big");
    const cost = async () =>
      (await owner.ask("getSession", { params: { id: sessionId } })).session.cost;

    const first = await runTurn(sessionId);
    expect(first.price).toEqual(big);
    // 50,000 × 10 + 50,000 × 1 + 10,000 × 20, by the million
    const summed = await becomes(cost, (sum) => sum?.throughTurnId === first.id);
    expect(summed).toEqual({ amount: 0.75, throughTurnId: first.id });

    await owner.ask("updateProvider", { params, body: { prices: [{ input: 1, output: 1 }] } });
    const { turn } = await owner.ask("getTurn", { params: { id: first.id } });
    expect(turn.price).toEqual(big);
    const second = await runTurn(sessionId, { estimated: true });
    expect(second.price).toEqual({ input: 1, output: 1 });
    const both = await becomes(cost, (sum) => sum?.throughTurnId === second.id);
    expect(both?.amount).toBeCloseTo(0.86);
    expect(both?.estimated).toBe(true);
  });

  it("is known to the page while the turn runs", async () => {
    const { owner } = server;
    const id = await newProvider();
    await owner.ask("updateProvider", { params: { id }, body: { prices: [cheap] } });
    const sessionId = await newSession(id, "big");
    const page = await openPage(server.url, owner);
    const seen: ChatTurn[] = [];
    page.socket.on("turnChanged", ({ turn }) => seen.push(turn));
    await ask(page.socket, ideCommands, "joinSession", [{ sessionId }], 10_000);
    const body = { prompt: "hello" };
    const { turn } = await owner.ask("submitTurn", { params: { id: sessionId }, body });
    await drone.order(turn.id);
    const usage = { inputTokens: 100, outputTokens: 10 };
    await drone.send(turn.id, { type: "usage", usage });
    const shown = { status: "processing", price: cheap, usage };
    await becomes(
      () => seen.at(-1),
      (last) => last?.usage.inputTokens === 100,
    );
    expect(seen.at(-1)).toMatchObject(shown);
    await drone.complete(turn.id, true);
    page.close();
  });

  it("is not told where nobody entered a price", async () => {
    const sessionId = await newSession(await newProvider(), "big");
    expect(await runTurn(sessionId)).not.toHaveProperty("price");
    const { session } = await server.owner.ask("getSession", { params: { id: sessionId } });
    expect(session).not.toHaveProperty("cost");
  });
});
