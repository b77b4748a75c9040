import { tmpdir } from "node:os";
import { restPrefix, routes } from "@gadget/api";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { openPage } from "../page.ts";
import { connectDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { startTurn } from "./start-turn.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe("/metrics", () => {
  it("needs an owner's token, and tells turns, aborts, connections and lags", async () => {
    const { owner, member, url } = server;
    const drone = await connectDrone(server, owner);
    const page = await openPage(url, owner);
    const { turn } = await startTurn(owner, drone);
    await drone.send(turn.id, { type: "text:start", partId: "p" });
    await owner.ask("cancelTurn", { params: { id: turn.id } });
    await drone.complete(turn.id, true, "aborted");
    const read = (headers: Record<string, string>) => fetch(`${url}/metrics`, { headers });
    expect((await read({})).status).toBe(401);
    expect((await read({ authorization: `Bearer ${member.token}` })).status).toBe(403);
    const response = await read({ authorization: `Bearer ${owner.token}` });
    expect(response.headers.get("content-type")).toContain("text/plain");
    const text = await response.text();
    for (const line of [
      'gadget_turns{status="aborted"} 1',
      'gadget_turns_settled_total{status="aborted"} 1',
      "gadget_abort_acknowledged_seconds_count 1",
      "gadget_abort_settled_seconds_count 1",
      "gadget_outbox_lag_seconds_count 1",
      'gadget_connections{kind="drone"} 1',
      'gadget_connections{kind="browser"} 1',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).toContain("nodejs_eventloop_lag_seconds");
    expect(text).not.toContain(owner.user.name);
    page.close();
    drone.close();
  });
});

describe("/api/docs", () => {
  it("shows every route, without a script and without anything from elsewhere", async () => {
    const response = await fetch(`${server.url}/api/docs`);
    const page = await response.text();
    for (const [name, { method, path }] of Object.entries(routes)) {
      expect(page).toContain(`<details id="${name}">`);
      expect(page).toContain(`<b>${method}</b> <code>${restPrefix}${path}</code>`);
    }
    expect(page).not.toMatch(/<script|style=|\son\w+=|https?:\/\//);
    expect(response.headers.get("content-security-policy")).toContain("script-src 'self'");
    const style = await fetch(`${server.url}/api/docs/style.css`);
    expect(style.headers.get("content-type")).toContain("text/css");
  });
});

describe("health", () => {
  it("is told to anybody", async () => {
    const alive = await fetch(`${server.url}/healthz`);
    expect(await alive.json()).toMatchObject({ ok: true });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it("tells a full disk, and a write that finds no room is refused with a sentence", async () => {
    const { config, database, secret, owner } = server;
    const log = pino({ level: "silent" });
    const outOfSpace = Object.assign(new Error("/data is full"), { code: 14_031 });
    const app = buildApp({
      config,
      database: { ...database, isFull: () => true },
      secret,
      log,
      version: "0.0.0",
      page: tmpdir(),
      now: () => {
        throw outOfSpace;
      },
    });
    const url = await app.listen();
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    const full = { error: { code: "unavailable", message: expect.stringMatching(/disk is full/) } };
    expect(await ready.json()).toEqual(full);
    const made = await fetch(`${url}/api/v1/tokens`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "no room" }),
    });
    expect(made.status).toBe(503);
    expect(await made.json()).toEqual(full);
    await app.close();
  });
});
