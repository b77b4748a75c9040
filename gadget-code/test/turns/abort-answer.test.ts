import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, ideCommands, isSettled, newId, type SessionId, TurnId } from "@gadget/api";
import { type EmbeddedMongo, startEmbeddedMongo } from "@gadget/embedded-mongo";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { Redis, redisServer } from "../nodes/redis.ts";
import { openPage, type Page } from "../page.ts";
import { SlowDatabase } from "../slow-database.ts";
import type { ScriptedDrone } from "./scripted-drone.ts";
import { TurnServer } from "./turn-server.ts";

/** The second in which a cancel is answered (A14), and what a busy machine adds. */
const answerMs = 2_000;
const patienceMs = 60_000;

let folder: string;
let mongo: EmbeddedMongo;
let database: SlowDatabase;
let server: TurnServer;
let drone: ScriptedDrone;
let away: ScriptedDrone;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gadget-answer-"));
  mongo = await startEmbeddedMongo({ dataDir: folder, port: 0 });
  database = await SlowDatabase.start(mongo.uri);
  server = await TurnServer.start({ MONGODB_URI: database.uri });
  drone = await server.newDrone();
  away = await server.newDrone();
  await drone.connect();
  page = await openPage(server.url, { token: server.token, cookie: "" });
});
afterAll(async () => {
  page.close();
  drone.disconnect();
  await server.close();
  await database.stop();
  await mongo.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  database.writeMs = 0;
  database.wake();
  // The driver may have to find it again.
  await eventually(
    () => server.call("me"),
    ({ status }) => status === 200,
    patienceMs,
  );
});

const troubles = {
  "needs 5 s a write": () => {
    database.writeMs = 5_000;
  },
  "answers nothing at all": () => database.hang(),
};

interface Answered {
  success: boolean;
  message: string | undefined;
  ms: number;
}

const ways = {
  "the socket": async (turnId: TurnId): Promise<Answered> => {
    const begun = performance.now();
    const { success, message } = await ask(
      page.socket,
      ideCommands,
      "abortWorkOrder",
      [turnId],
      patienceMs,
    );
    return { success, message, ms: performance.now() - begun };
  },
  REST: async (turnId: TurnId): Promise<Answered> => {
    const begun = performance.now();
    const { status, body } = await server.cancel(turnId);
    const { message } =
      status === 200 ? body : (body as unknown as { error: { message: string } }).error;
    return { success: status === 200, message, ms: performance.now() - begun };
  },
};

async function running(): Promise<TurnId> {
  const { id } = await server.submit(await server.newSession(drone.id));
  expect((await drone.order()).turnId).toBe(id);
  return id;
}

/** Whatever the database did meanwhile: the turn ends as aborted, and no drone has worked on it. */
async function endsAborted(turnId: TurnId): Promise<void> {
  database.writeMs = 0;
  database.wake();
  const settled = await eventually(
    async () => {
      if (drone.held.has(turnId)) {
        await drone.complete(turnId, true, "aborted").catch(() => {});
      }
      return server.turn(turnId);
    },
    (turn) => turn !== undefined && isSettled(turn.status),
    patienceMs,
  );
  expect(settled).toMatchObject({ status: "aborted", abortedBy: { name: "Olive" } });
}

for (const [trouble, begin] of Object.entries(troubles)) {
  describe(`a database that ${trouble}`, () => {
    for (const [way, cancel] of Object.entries(ways)) {
      it(`A14 an abort of a turn that is held here reaches its drone and is answered in time, over ${way}`, async () => {
        const turnId = await running();
        begin();
        const answer = await cancel(turnId);
        expect(answer).toMatchObject({ success: true, message: "Abort signaled" });
        expect(answer.ms).toBeLessThan(answerMs);
        expect(drone.aborted).toContain(turnId);
        await endsAborted(turnId);
      });

      it(`A14 an abort is answered in time when the drone is silent too, over ${way}`, async () => {
        const turnId = await running();
        const { onAbort } = drone;
        drone.onAbort = () => new Promise(() => {});
        begin();
        const answer = await cancel(turnId);
        expect(answer).toMatchObject({
          success: true,
          message: expect.stringMatching(/unreachable/),
        });
        expect(answer.ms).toBeLessThan(answerMs);
        expect(drone.aborted).toContain(turnId);
        drone.onAbort = onAbort;
        await endsAborted(turnId);
      });

      it(`A14 an abort of a queued turn is answered in time, and no order goes out, over ${way}`, async () => {
        const { id } = await server.submit(await server.newSession(away.id));
        begin();
        const answer = await cancel(id);
        expect(answer).toMatchObject({
          success: true,
          message: expect.stringMatching(/being stored/),
        });
        expect(answer.ms).toBeLessThan(answerMs);
        await endsAborted(id);
      });

      it(`A14 an abort of a prompt that is still arriving is answered in time, over ${way}`, async () => {
        const sessionId = await server.newSession(drone.id);
        const turnId = newId(TurnId);
        begin();
        const submission = { sessionId, turnId, prompt: "hello" };
        const submitted = ask(page.socket, ideCommands, "submitPrompt", [submission], patienceMs);
        await eventually(
          () => server.app.context.live.arrival(turnId),
          (arrival) => arrival !== undefined,
        );
        const answer = await cancel(turnId);
        expect(answer.message).toMatch(/being stored|does not answer/);
        expect(answer.ms).toBeLessThan(answerMs);
        database.writeMs = 0;
        database.wake();
        await submitted;
        await endsAborted(turnId);
        expect(drone.held.has(turnId)).toBe(false);
      });
    }
  });
}

describe.skipIf(redisServer === undefined)("two nodes", () => {
  let redis: Redis;
  let one: TurnServer;
  let two: TurnServer;
  let far: ScriptedDrone;
  let farPage: Page;
  let sessionId: SessionId;

  beforeAll(async () => {
    redis = await Redis.start();
    const env = {
      MONGODB_URI: database.uri.replace("/gadget", "/nodes"),
      REDIS_URL: redis.url,
    };
    one = await TurnServer.start(env);
    two = await TurnServer.again(env, one);
    far = await one.newDrone();
    far = far.movedTo(two.url);
    await far.connect();
    farPage = await openPage(one.url, { token: one.token, cookie: "" });
    sessionId = await one.newSession(far.id);
  });
  afterAll(async () => {
    farPage.close();
    far.disconnect();
    await two.close();
    await one.close();
    await redis.down();
  });

  for (const [trouble, begin] of Object.entries(troubles)) {
    it(`A14 A38 an abort of a turn that another node holds is answered in time while the database ${trouble}`, async () => {
      const { id } = await one.submit(sessionId);
      expect((await far.order()).turnId).toBe(id);
      begin();
      const begun = performance.now();
      const answer = await ask(farPage.socket, ideCommands, "abortWorkOrder", [id], patienceMs);
      expect(performance.now() - begun).toBeLessThan(answerMs);
      expect(answer).toMatchObject({ success: true, message: "Abort signaled" });
      expect(far.aborted).toContain(id);
      database.writeMs = 0;
      database.wake();
      await eventually(
        async () => {
          if (far.held.has(id)) {
            await far.complete(id, true, "aborted").catch(() => {});
          }
          return one.turn(id);
        },
        ({ status }) => status === "aborted",
        patienceMs,
      );
    });
  }
});
