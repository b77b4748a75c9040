import { request } from "node:http";
import { pathOf, routes, type TurnId } from "@gadget/api";
import { afterAll, beforeAll, expect, it } from "vitest";
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

interface Stream {
  ended: Promise<void>;
}

/** An open stream, as soon as it has begun. */
function follow(turnId: TurnId, headers: Record<string, string>): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const path = pathOf(routes.listEvents.path, { id: turnId });
    const sent = request(server.url + path, {
      headers: { ...headers, accept: "text/event-stream" },
    });
    sent.on("error", () => {});
    sent.once("response", (response) => {
      expect(response.headers["x-accel-buffering"]).toBe("no");
      const ended = new Promise<void>((done) => void response.once("close", () => done()));
      response.on("error", () => {});
      response.on("data", () => resolve({ ended }));
      if (response.statusCode !== 200) {
        reject(new Error(String(response.statusCode)));
      }
    });
    sent.end();
  });
}

it("an event stream ends with its token and its sign-in, and others go on", async () => {
  const { owner } = server;
  const { turn } = await startTurn(owner, drone);
  const { id, token } = await owner.ask("createToken", { body: { name: "short-lived" } });
  const own = { authorization: `Bearer ${owner.token}` };
  const kept = await follow(turn.id, own);
  let keptOn = true;
  void kept.ended.then(() => {
    keptOn = false;
  });
  const byToken = await follow(turn.id, { authorization: `Bearer ${token}` });
  await owner.ask("deleteToken", { params: { id } });
  const revoked = performance.now();
  await byToken.ended;
  // Not by the check of every 15 s.
  expect(performance.now() - revoked).toBeLessThan(10_000);
  const byCookie = await follow(turn.id, { cookie: owner.cookie });
  const headers = { cookie: owner.cookie, origin: server.url, authorization: "" };
  expect((await owner.send("logout", { headers })).status).toBe(200);
  await byCookie.ended;
  expect(keptOn).toBe(true);
  await drone.complete(turn.id, true);
  await kept.ended;
}, 60_000);
