import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, ideCommands, Refusal } from "@gadget/api";
import { type EmbeddedMongo, startEmbeddedMongo } from "@gadget/embedded-mongo";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../page.ts";
import { sendRoute } from "../person.ts";
import { SlowDatabase } from "../slow-database.ts";
import type { ScriptedDrone } from "../turns/scripted-drone.ts";
import { TurnServer } from "../turns/turn-server.ts";

/** The second in which a cancel is answered (A14), and what a busy machine adds. */
const answerMs = 2_000;
const patienceMs = 60_000;

let folder: string;
let mongo: EmbeddedMongo;
let database: SlowDatabase;
let server: TurnServer;
let drone: ScriptedDrone;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gadget-asker-"));
  mongo = await startEmbeddedMongo({ dataDir: folder, port: 0 });
  database = await SlowDatabase.start(mongo.uri);
  server = await TurnServer.start({ MONGODB_URI: database.uri });
  drone = await server.newDrone();
  await drone.connect();
});
afterAll(async () => {
  drone.disconnect();
  await server.close();
  await database.stop();
  await mongo.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  database.wake();
  // The driver may have to find it again.
  await becomes(
    () => server.call("me"),
    ({ status }) => status === 200,
    patienceMs,
  );
});

async function running(): Promise<{ id: string; token: string }> {
  const { id } = await server.submit(await server.newSession(drone.id));
  await drone.order();
  const { body } = await server.call("createToken", { body: { name: "never used" } });
  return { id, token: body.token };
}

async function cancel(url: string, id: string, token: string) {
  const begun = performance.now();
  const headers = { authorization: `Bearer ${token}` };
  const response = await sendRoute(url, "cancelTurn", { params: { id }, headers });
  const ms = performance.now() - begun;
  const refusal = Refusal.safeParse(await response.json());
  return { status: response.status, ms, code: refusal.data?.error.code };
}

describe("a database that answers nothing, asked by somebody whom the server has not seen", () => {
  it("A14 answers a cancel over REST in time, and takes it later", async () => {
    const { id, token } = await running();
    database.hang();
    const answer = await cancel(server.url, id, token);
    expect(answer).toMatchObject({ status: 503, code: "unavailable" });
    expect(answer.ms).toBeLessThan(answerMs);
    database.wake();
    const later = await becomes(
      () => cancel(server.url, id, token),
      ({ status }) => status !== 503,
      patienceMs,
    );
    expect(later.status).toBe(200);
  });

  it("A14 answers a cancel in time where it is a server's first request", async () => {
    const { id, token } = await running();
    const next = await TurnServer.again({ MONGODB_URI: database.uri }, server);
    database.hang();
    const answer = await cancel(next.url, id, token);
    expect(answer).toMatchObject({ status: 503, code: "unavailable" });
    expect(answer.ms).toBeLessThan(answerMs);
    database.wake();
    await next.close();
  });

  it("A14 refuses a page's connection in time, so that it can say so and try again", async () => {
    const { id, token } = await running();
    database.hang();
    const begun = performance.now();
    const refusal: unknown = await openPage(server.url, { token, cookie: "" }).catch(
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ data: { error: { code: "unavailable" } } });
    expect(performance.now() - begun).toBeLessThan(answerMs);
    database.wake();
    const page = await becomes(
      () => openPage(server.url, { token, cookie: "" }).catch(() => undefined),
      (opened) => opened !== undefined,
      patienceMs,
    );
    const answer =
      page && (await ask(page.socket, ideCommands, "abortWorkOrder", [id as never], patienceMs));
    expect(answer?.success).toBe(true);
    page?.close();
  });
});
