import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { hasOwnName } from "../../src/own-name.ts";
import { password, startServer, type TestServer } from "../server.ts";
import { rawRequest, upgrade } from "./raw-request.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ hasOwnName: true });
});
afterAll(() => server.stop());

const answering =
  (...addresses: string[]) =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address })));
const missing = () => Promise.reject(new Error("ENOTFOUND"));

describe("the page's own name", () => {
  it("is used where it means this machine, and only on loopback", async () => {
    const config = readConfig({});
    expect(await hasOwnName(config, answering("127.0.0.1"))).toBe(true);
    expect(await hasOwnName(config, answering("::1", "127.0.0.1"))).toBe(true);
    expect(await hasOwnName(config, missing)).toBe(false);
    expect(await hasOwnName(config, answering())).toBe(false);
    expect(await hasOwnName(config, answering("::1"))).toBe(false);
    expect(await hasOwnName(config, answering("127.0.0.1", "203.0.113.1"))).toBe(false);
    const proxied = readConfig({ GADGET_PUBLIC_URL: "https://gadget.example" });
    expect(await hasOwnName(proxied, answering("127.0.0.1"))).toBe(false);
    const open = readConfig({ GADGET_HOST: "0.0.0.0" });
    expect(await hasOwnName(open, answering("127.0.0.1"))).toBe(false);
  });

  it("stands in links; drones and the CLI go on with the address", async () => {
    const { app, address, owner } = server;
    const { port } = new URL(address);
    expect(address).toBe(`http://127.0.0.1:${port}`);
    expect(app.context.url()).toBe(address);
    expect(app.context.pageUrl()).toBe(`http://gadget.localhost:${port}`);
    const { invitation } = await owner.ask("inviteMember", { body: { email: "ida@example.com" } });
    expect(invitation.url).toContain(`http://gadget.localhost:${port}/invitation#code=`);
  });

  it("is a host of its own: its cookie is for nothing else, and its origin is taken", async () => {
    const { address, app, owner } = server;
    const origin = app.context.pageUrl();
    const { host } = new URL(origin);
    const login = await rawRequest(address, {
      method: "POST",
      path: "/api/v1/auth/login",
      headers: { host, origin, "content-type": "application/json" },
      body: JSON.stringify({ email: owner.user.email, password }),
    });
    expect(login.status).toBe(200);
    const set = login.headers["set-cookie"] ?? [];
    expect(set.length).toBeGreaterThan(0);
    for (const each of set) {
      expect(each).not.toMatch(/domain/i);
    }
    const cookie = set.map((each) => each.split(";", 1)[0]).join("; ");
    const change = (headers: Record<string, string>) =>
      rawRequest(address, { method: "PATCH", path: "/api/v1/me", headers: { cookie, ...headers } });
    expect((await change({ host, origin })).status).toBe(200);
    expect((await upgrade(address, { host, origin, cookie })).status).toBe(101);
    // One name's page is another site for the other.
    expect((await change({ host, origin: address })).status).toBe(403);
    expect((await change({ host: new URL(address).host, origin })).status).toBe(403);
    for (const other of [`evil.${host}`, "gadget.localhost.evil.example"]) {
      const { status } = await rawRequest(address, {
        path: "/api/v1/me",
        headers: { host: other },
      });
      expect(status, other).toBe(403);
    }
  });
});

describe("a sign-in of more than a day ago", () => {
  it("makes no tokens, invitations, owners or drones by its cookie; a token does", async () => {
    const { owner, member, database, url } = server;
    const { models } = database;
    const headers = { cookie: owner.cookie, origin: url, authorization: "" };
    const acts = [
      ["createToken", { body: { name: "t" } }],
      ["inviteMember", { body: { email: "later@example.com" } }],
      ["updateMember", { params: { id: member.user.id }, body: { name: "Mika" } }],
      ["createEnrollment", {}],
    ] as const;
    for (const [name, request] of acts) {
      expect((await owner.send(name, { ...request, headers })).ok, name).toBe(true);
    }
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    await models.logins.updateMany({ userId: owner.user.id }, { $set: { createdAt: yesterday } });
    for (const [name, request] of acts) {
      const refused = await owner.send(name, { ...request, headers });
      expect(refused.status, name).toBe(403);
      expect(await refused.text()).toContain("Sign out and in again");
      expect((await owner.send(name, request)).ok, name).toBe(true);
    }
    expect((await owner.send("listMembers", { headers })).ok).toBe(true);
  });
});
