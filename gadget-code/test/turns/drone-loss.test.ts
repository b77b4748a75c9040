import { brokenCover, InstanceId, isSettled, isTerminal, newId, type TurnEvent } from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoredTurn } from "../../src/models/chat-turn.ts";
import { loseTurn } from "../../src/turns/recovery/lose-turn.ts";
import { reconcile } from "../../src/turns/recovery/reconcile.ts";
import type { ScriptedDrone } from "./scripted-drone.ts";
import { TurnServer } from "./turn-server.ts";

let server: TurnServer;
beforeAll(async () => {
  server = await TurnServer.start({ GADGET_DRONE_GRACE: "2" });
});
afterAll(() => server.close());

/** A connected drone that holds one turn. */
async function running() {
  const drone = await server.newDrone();
  await drone.connect();
  const sessionId = await server.newSession(drone.id);
  const { id: turnId } = await server.submit(sessionId);
  const order = await drone.order();
  await drone.send(turnId, { type: "turn:changed", status: "processing" });
  return { drone, sessionId, turnId, order };
}

function text(turnId: TurnEvent["turnId"], seq: number, epoch: number): TurnEvent {
  const at = new Date().toISOString();
  return { turnId, seq, epoch, at, type: "notice", level: "info", text: `number ${seq}` };
}

async function reconnect(drone: ScriptedDrone, instanceId?: InstanceId) {
  drone.disconnect();
  return drone.connect(instanceId);
}

describe("a drone that comes back", () => {
  it("A36 goes on where it was, and nothing is lost or doubled", async () => {
    const { drone, turnId, order } = await running();
    await drone.send(turnId, { type: "notice", level: "info", text: "before" });
    const { turns } = await reconnect(drone);
    expect(turns).toEqual([{ turnId, verdict: "continue", storedSeq: 3 }]);
    await drone.sendEvents(
      turnId,
      order.epoch,
      [3, 4, 5].map((seq) => text(turnId, seq, 1)),
    );
    await drone.complete(turnId, true);
    const events = await server.events(turnId);
    expect(brokenCover(events, 0)).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual([
      "turn:changed",
      "turn:changed",
      "notice",
      "notice",
      "notice",
      "turn:changed",
    ]);
    drone.disconnect();
  });

  it("A33 learns in its hello, and with every heartbeat, of an abort that it missed", async () => {
    const { drone, turnId } = await running();
    drone.disconnect();
    await becomes(
      async () => server.app.context.line.isHere(drone.id),
      (here) => !here,
    );
    const { status, body } = await server.cancel(turnId);
    expect(status).toBe(200);
    expect(body.message).toMatch(/^The drone is unreachable/);
    expect((await server.turn(turnId)).status).toBe("aborting");
    const { turns } = await drone.connect();
    expect(turns).toMatchObject([{ turnId, verdict: "abort" }]);
    expect(await drone.heartbeat()).toEqual({ abort: [turnId], kill: [] });
    await drone.complete(turnId, true, "aborted");
    expect((await server.turn(turnId)).status).toBe("aborted");
    drone.disconnect();
  });

  it("as a new process has lost its turn: it is interrupted at once and the session is free", async () => {
    const { drone, sessionId, turnId } = await running();
    drone.held.clear();
    await reconnect(drone, newId(InstanceId));
    expect(await server.turn(turnId)).toMatchObject({
      status: "interrupted",
      errorMessage: expect.stringContaining("restarted"),
    });
    await server.submit(sessionId, "again");
    const order = await drone.order();
    expect(order.history.messages.at(-1)).toMatchObject({
      role: "note",
      text: expect.stringContaining("worker was lost"),
    });
    await drone.complete(order.turnId, true);
    drone.disconnect();
  });

  it("A35 as a new process hands over what the old one left on its disk, then the turn is interrupted", async () => {
    const { drone, turnId, order } = await running();
    drone.held.clear();
    drone.disconnect();
    const { epoch } = order;
    const { turns } = await drone.connect(newId(InstanceId), [{ turnId, epoch, lastSeq: 4 }]);
    expect(turns).toEqual([{ turnId, verdict: "continue", storedSeq: 2 }]);
    await drone.sendEvents(turnId, epoch, [text(turnId, 3, epoch), text(turnId, 4, epoch)]);
    const log = await becomes(
      () => server.events(turnId),
      (events) => events.some(isTerminal),
    );
    expect(log.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect((await server.turn(turnId)).status).toBe("interrupted");
    drone.disconnect();
  });

  it("A35 as a new process hands over even its turn's end", async () => {
    const { drone, turnId, order } = await running();
    drone.held.clear();
    drone.disconnect();
    await drone.connect(newId(InstanceId), [{ turnId, epoch: order.epoch, lastSeq: 2 }]);
    await drone.complete(turnId, true);
    expect((await server.turn(turnId)).status).toBe("finished");
    drone.disconnect();
  });

  it("A7 at the moment at which its turn is given up gets no number to go on from", async () => {
    const { drone, turnId } = await running();
    drone.disconnect();
    const { context } = server.app;
    const { models } = context;
    // The sweep of another node ends the turn between the look at the leases and that at the log.
    const turns = new Proxy(models.turns, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (key !== "find") {
          return value;
        }
        return (...args: Parameters<typeof target.find>) => ({
          lean: async () => {
            const leased = await target.find(...args).lean<StoredTurn[]>();
            for (const turn of leased) {
              await loseTurn(context, turn, "silent");
            }
            return leased;
          },
        });
      },
    });
    const meanwhile = { ...context, models: { ...models, turns } };
    const verdicts = await reconcile(meanwhile, drone.id, drone.hello());
    expect(verdicts).toEqual([{ turnId, verdict: "kill", storedSeq: 0 }]);
    expect(context.live.get(turnId)).toBeUndefined();
    expect((await server.events(turnId)).at(-1)).toSatisfy(isTerminal);
  });

  it("A34 with a lease that was given up is told to kill, and can write nothing", async () => {
    const { drone, turnId, order } = await running();
    drone.disconnect();
    const lost = await becomes(
      () => server.turn(turnId),
      ({ status }) => isSettled(status),
    );
    expect(lost).toMatchObject({ status: "interrupted", errorMessage: expect.any(String) });
    const before = await becomes(
      () => server.events(turnId),
      (events) => events.some(isTerminal),
    );
    const { turns } = await drone.connect();
    expect(turns).toEqual([{ turnId, verdict: "kill", storedSeq: 0 }]);
    const answer = await drone.sendEvents(turnId, order.epoch, [text(turnId, 3, order.epoch)]);
    expect(answer).toMatchObject({ lost: true });
    await drone.complete(turnId, true);
    expect(await server.events(turnId)).toEqual(before);
    expect((await server.turn(turnId)).status).toBe("interrupted");
    drone.disconnect();
  });
});

describe("a drone that says hello twice on one connection", () => {
  it("keeps the connection, and goes on where it was", async () => {
    const { drone, turnId } = await running();
    expect((await drone.greet()).turns).toMatchObject([{ turnId, verdict: "continue" }]);
    expect(await drone.heartbeat()).toEqual({ abort: [], kill: [] });
    expect(server.app.context.line.isHere(drone.id)).toBe(true);
    await drone.complete(turnId, true);
    expect((await server.turn(turnId)).status).toBe("finished");
    drone.disconnect();
  });
});

describe("a drone that stays away", () => {
  it("A33 loses its turn when its grace is over: aborted, when an abort was asked for", async () => {
    const { drone, turnId } = await running();
    drone.onAbort = () => new Promise(() => {});
    await server.cancel(turnId);
    drone.disconnect();
    const settled = await becomes(
      () => server.turn(turnId),
      ({ status }) => isSettled(status),
    );
    expect(settled).toMatchObject({ status: "aborted", abortedBy: { name: "Olive" } });
    const events = await becomes(
      () => server.events(turnId),
      (log) => log.some(isTerminal),
    );
    expect(events.filter(isTerminal)).toHaveLength(1);
  });

  it("leaves queued turns queued until it is back", async () => {
    const drone = await server.newDrone();
    const { id } = await server.submit(await server.newSession(drone.id));
    expect(await server.turn(id)).toMatchObject({ status: "queued", waitingFor: "drone" });
    await drone.connect();
    const order = await drone.order();
    expect(order.turnId).toBe(id);
    await drone.complete(id, true);
    expect((await server.turn(id)).status).toBe("finished");
    drone.disconnect();
  });
});

describe("what a drone sends", () => {
  it("A34 has its lease's epoch in every event, and a number that leaves room for its end", async () => {
    const { drone, turnId } = await running();
    const other = { ...text(turnId, 3, 1), epoch: 7 };
    await expect(drone.sendEvents(turnId, 1, [other])).rejects.toMatchObject({ code: "invalid" });
    const far = { ...text(turnId, Number.MAX_SAFE_INTEGER, 1), fromSeq: 3 };
    await expect(drone.sendEvents(turnId, 1, [far])).rejects.toMatchObject({ code: "invalid" });
    await drone.complete(turnId, true);
    expect((await server.events(turnId)).at(-1)).toMatchObject({ seq: 3, status: "finished" });
    drone.disconnect();
  });

  it("A35 is stored once however often it comes, and acknowledged up to what is stored", async () => {
    const { drone, turnId, order } = await running();
    const three = [3, 4, 5].map((seq) => text(turnId, seq, order.epoch));
    const answers = await Promise.all([1, 2, 3].map(() => drone.sendEvents(turnId, 1, three)));
    expect(answers).toEqual([{ storedSeq: 5 }, { storedSeq: 5 }, { storedSeq: 5 }]);
    const gap = await drone.sendEvents(turnId, 1, [text(turnId, 9, order.epoch)]);
    expect(gap).toEqual({ storedSeq: 5 });
    await drone.complete(turnId, true);
    expect(await server.events(turnId)).toHaveLength(6);
    drone.disconnect();
  });

  it("A34 is refused when it is another drone's turn, an older lease's, or the end of a turn", async () => {
    const { drone, turnId } = await running();
    const other = await server.newDrone();
    await other.connect();
    expect(await other.sendEvents(turnId, 1, [text(turnId, 3, 1)])).toMatchObject({ lost: true });
    expect(await drone.sendEvents(turnId, 0, [text(turnId, 3, 0)])).toMatchObject({ lost: true });
    await other.complete(turnId, true, "aborted");
    expect((await server.turn(turnId)).status).toBe("processing");
    expect((await server.events(turnId)).at(-1)).toMatchObject({ seq: 2 });
    const end = { ...text(turnId, 3, 1), type: "turn:changed", status: "finished" } as TurnEvent;
    await expect(drone.sendEvents(turnId, 1, [end])).rejects.toMatchObject({ code: "invalid" });
    await drone.complete(turnId, true);
    drone.disconnect();
    other.disconnect();
  });
});
