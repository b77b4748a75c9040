import { type Route, type RouteName, routes } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwner, nextSetupRound, setupRound } from "../../src/people/owner.ts";
import { openPage } from "../page.ts";
import { sendRoute } from "../person.ts";
import { password, startServer, type TestServer } from "../server.ts";

const keys = {
  GADGET_SETUP: "remote",
  OPENAI_API_KEY: "sk-canary-of-the-environment",
  OLLAMA_HOST: "127.0.0.1:11434",
};
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ env: keys, people: "nobody" });
});
afterAll(() => server.stop());

const account = { email: "first@example.com", name: "First", password };
const link = async () => server.secret.setupCode(await setupRound(server.database.models));
const setUp = (body: object) => sendRoute(server.url, "setup", { body });

describe("a server without an owner", () => {
  const table = Object.entries(routes) as [RouteName, Route][];
  const open = new Set<RouteName>(["setup", "setupState"]);

  it.each(table.filter(([name]) => !open.has(name)))("does not serve %s", async (name) => {
    const response = await sendRoute(server.url, name, { params: { id: "12345678" } });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining("set-up link") as string },
    });
  });

  it("serves no documents, metrics or sockets either, but health and set-up", async () => {
    const { url } = server;
    for (const path of ["/api/docs", "/api/v1/openapi.json", "/metrics"]) {
      expect((await fetch(url + path)).status, path).toBe(401);
    }
    await expect(openPage(url, { token: "x", cookie: "" })).rejects.toThrow("Sign in first");
    for (const path of ["/healthz", "/readyz"]) {
      expect((await fetch(url + path)).status, path).toBe(200);
    }
    const state = await sendRoute(url, "setupState");
    expect(await state.json()).toEqual({ hasOwner: false });
  });

  it("is set up by one person, with the code alone, and then has its providers", async () => {
    const wrong = await setUp({ ...account, code: "not-the-code-of-the-link" });
    expect(wrong.status).toBe(403);
    const code = await link();
    const tries = await Promise.all([
      setUp({ ...account, code }),
      setUp({ ...account, email: "second@example.com", code }),
    ]);
    const first = tries.find(({ status }) => status === 201);
    expect(new Set(tries.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const owners = await server.database.models.users.find({ role: "owner" }).lean();
    expect(owners).toHaveLength(1);
    expect((await setUp({ ...account, code })).status).toBe(409);
    const [cookie = ""] = (first?.headers.get("set-cookie") ?? "").split(";");
    const listed = await sendRoute(server.url, "listProviders", { headers: { cookie } });
    const text = await listed.text();
    const { items } = JSON.parse(text) as { items: { name: string; hasKey: boolean }[] };
    expect(new Map(items.map(({ name, hasKey }) => [name, hasKey]))).toEqual(
      new Map([
        ["Demo (scripted)", false],
        ["OpenAI", true],
        ["Ollama", false],
      ]),
    );
    expect(text).not.toContain(keys.OPENAI_API_KEY);
  });
});

describe("--reset-owner", () => {
  it("gives the account away with a new link, and ends what was signed in", async () => {
    const { models } = server.database;
    const old = await link();
    const before = await sendRoute(server.url, "login", { body: await accountOf() });
    const [cookie = ""] = (before.headers.get("set-cookie") ?? "").split(";");
    expect((await sendRoute(server.url, "me", { headers: { cookie } })).status).toBe(200);

    await nextSetupRound(models);
    expect((await setUp({ ...account, code: old })).status).toBe(403);
    const fresh = { ...account, email: "new@example.com", password: "another password" };
    const done = await setUp({ ...fresh, code: await link() });
    expect(done.status).toBe(201);
    expect((await sendRoute(server.url, "me", { headers: { cookie } })).status).toBe(401);
    const { email } = fresh;
    const body = { email, password: fresh.password };
    expect((await sendRoute(server.url, "login", { body })).status).toBe(200);
    expect(await models.users.countDocuments()).toBe(1);
    expect((await setUp({ ...fresh, code: await link() })).status).toBe(409);
  });

  async function accountOf() {
    const owner = await server.database.models.users.findOne({ role: "owner" }).lean();
    if (owner === null) {
      throw new Error("there is no owner");
    }
    // The set-up race has two possible winners.
    return { email: owner.email, password };
  }
});

describe("the owner of the environment", () => {
  it("is not made a second time", async () => {
    const { models } = server.database;
    const again = createOwner(models, { ...account, email: "env@example.com" }, new Date());
    await expect(again).rejects.toMatchObject({ code: "owner_exists" });
    expect(await models.users.countDocuments({ role: "owner" })).toBe(1);
  });
});
