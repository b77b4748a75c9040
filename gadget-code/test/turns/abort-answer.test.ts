import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, ideCommands, isSettled, newId, type SessionId, TurnId } from "@gadget/api";
import { type EmbeddedMongo, startEmbeddedMongo } from "@gadget/embedded-mongo";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
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
let answersAborts: ScriptedDrone["onAbort"];
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gadget-answer-"));
  mongo = await startEmbeddedMongo({ dataDir: folder, port: 0 });
  database = await SlowDatabase.start(mongo.uri);
  server = await TurnServer.start({ MONGODB_URI: database.uri });
  drone = await server.newDrone();
  away = await server.newDrone();
  answersAborts = drone.onAbort;
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
  drone.onAbort = answersAborts;
  database.writeMs = 0;
  database.wake();
  // The driver may have to find it again.
  await becomes(
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

async function timed({ socket }: Page, turnId: TurnId): Promise<Answered> {
  const begun = performance.now();
  const { success, message } = await ask(
    socket,
    ideCommands,
    "abortWorkOrder",
    [turnId],
    patienceMs,
  );
  return { success, message, ms: performance.now() - begun };
}

const ways = {
  "the socket": (turnId: TurnId): Promise<Answered> => timed(page, turnId),
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
  const settled = await becomes(
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
        drone.onAbort = () => new Promise(() => {});
        begin();
        const answer = await cancel(turnId);
        expect(answer).toMatchObject({
          success: true,
          message: expect.stringMatching(/unreachable/),
        });
        expect(answer.ms).toBeLessThan(answerMs);
        expect(drone.aborted).toContain(turnId);
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
        await becomes(
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

it("A14 a drone that needs a moment for its word is not called unreachable, though the abort is stored", async () => {
  const turnId = await running();
  const { onAbort } = drone;
  drone.onAbort = async (id) => {
    await becomes(
      () => server.app.context.models.turns.findById(id).lean(),
      (turn) => turn?.status === "aborting",
    );
    // The server has seen its write through by then.
    await server.turn(id);
    return onAbort(id);
  };
  expect(await ways.REST(turnId)).toMatchObject({ message: "Abort signaled" });
  await endsAborted(turnId);
});

it("A14 a drone's word counts where the abort can't be stored, though that fails before it", async () => {
  const turnId = await running();
  let failed = 0;
  database.fails = (command) => {
    const isAbort =
      command["findAndModify"] === "turns" && JSON.stringify(command).includes("aborting");
    failed += isAbort ? 1 : 0;
    return isAbort && failed === 1 ? { code: 14_031, errmsg: "The disk is full." } : undefined;
  };
  const { onAbort } = drone;
  drone.onAbort = async (id) => {
    await becomes(
      () => server.app.context.live.abortOf(id)?.isLost === true,
      (isLost) => isLost,
    );
    return onAbort(id);
  };
  expect(await ways.REST(turnId)).toMatchObject({ message: "Abort signaled" });
  expect(failed).toBeGreaterThan(0);
  database.fails = () => undefined;
  await endsAborted(turnId);
});

it("A4 A14 a second cancel is answered while the first one is still being stored", async () => {
  const turnId = await running();
  database.hang();
  const [first, second] = await Promise.all([ways["the socket"](turnId), ways.REST(turnId)]);
  const messages = new Set([first.message, second.message]);
  expect(messages).toEqual(new Set(["Abort signaled", "Already aborting"]));
  expect(Math.max(first.ms, second.ms)).toBeLessThan(answerMs);
  await endsAborted(turnId);
});

describe.skipIf(redisServer === undefined)("two nodes", () => {
  let redis: Redis;
  let one: TurnServer;
  let two: TurnServer;
  let far: ScriptedDrone;
  let near: ScriptedDrone;
  let farPage: Page;
  let otherPage: Page;
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
    near = await one.newDrone();
    await near.connect();
    farPage = await openPage(one.url, { token: one.token, cookie: "" });
    otherPage = await openPage(two.url, { token: one.token, cookie: "" });
    sessionId = await one.newSession(far.id);
  });
  afterAll(async () => {
    farPage.close();
    otherPage.close();
    far.disconnect();
    near.disconnect();
    await two.close();
    await one.close();
    await redis.down();
  });

  /** Another session that writes in the same workspace. */
  async function besideOf(id: SessionId): Promise<SessionId> {
    const { body } = await one.call("getSession", { params: { id } });
    const params = { id: body.session.projectId };
    const made = await one.call("createSession", { params, body: { approval: "auto" } });
    return made.body.session.id;
  }

  /** The database is well again; the turn's drone says its end where it holds it. */
  async function endsThere(at: ScriptedDrone, id: TurnId): Promise<void> {
    database.writeMs = 0;
    database.wake();
    await becomes(
      async () => {
        if (at.held.has(id) && at.aborted.includes(id)) {
          await at.complete(id, true, "aborted").catch(() => {});
        }
        return one.turn(id);
      },
      (turn) => turn?.status === "aborted",
      patienceMs,
    );
  }

  for (const [trouble, begin] of Object.entries(troubles)) {
    it(`A14 A38 an abort of a turn that another node holds is answered in time while the database ${trouble}`, async () => {
      const { id } = await one.submit(sessionId);
      expect((await far.order()).turnId).toBe(id);
      begin();
      const answer = await timed(farPage, id);
      expect(answer).toMatchObject({ success: true, message: "Abort signaled" });
      expect(answer.ms).toBeLessThan(answerMs);
      expect(far.aborted).toContain(id);
      await endsThere(far, id);
    });

    it(`A14 A38 an abort of a turn that waits at another node is answered in time while the database ${trouble}`, async () => {
      const busy = await one.submit(sessionId);
      expect((await far.order()).turnId).toBe(busy.id);
      const { id } = await one.submit(await besideOf(sessionId));
      await becomes(
        () => one.turn(id),
        ({ waitingFor }) => waitingFor === "workspace",
      );
      begin();
      const answer = await timed(farPage, id);
      expect(answer).toMatchObject({
        success: true,
        message: expect.stringMatching(/being stored/),
      });
      expect(answer.ms).toBeLessThan(answerMs);
      await endsThere(far, id);
      expect(far.held.has(id)).toBe(false);
      await far.complete(busy.id, true);
    });
  }

  it("A14 A38 an abort of a turn that its node does not know is answered in time, and goes on", async () => {
    const { id } = await one.submit(await one.newSession(near.id));
    expect((await near.order()).turnId).toBe(id);
    database.hang();
    const answer = await timed(otherPage, id);
    expect(answer).toMatchObject({
      success: false,
      message: expect.stringMatching(/does not answer/),
    });
    expect(answer.ms).toBeLessThan(answerMs);
    await endsThere(near, id);
    expect(near.aborted).toContain(id);
  });
});
