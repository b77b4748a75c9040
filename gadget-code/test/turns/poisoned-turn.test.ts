import { CallId, isSettled, isTerminal, newId, type TurnEventBody, type TurnId } from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reconcile } from "../../src/turns/recovery/reconcile.ts";
import { sweep } from "../../src/turns/recovery/sweep.ts";
import type { ScriptedDrone } from "./scripted-drone.ts";
import { TurnServer } from "./turn-server.ts";

let server: TurnServer;
beforeAll(async () => {
  server = await TurnServer.start({ GADGET_DRONE_GRACE: "2" });
});
afterAll(() => server.close());

const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`);

async function running() {
  const drone = await server.newDrone();
  await drone.connect();
  const sessionId = await server.newSession(drone.id);
  const { id: turnId } = await server.submit(sessionId);
  await drone.order();
  return { drone, sessionId, turnId };
}

const call = (depth: number): TurnEventBody[] => {
  const callId = newId(CallId);
  const input = nested(depth);
  return [
    { type: "tool:start", callId, name: "todo", step: 1 },
    { type: "tool:input", callId, input },
    { type: "tool:end", callId, name: "todo", outcome: "failed", input, text: "no" },
  ];
};

/** A turn of this server that can't be written any more, whatever is wrong with it. */
function poisoned(turnId: TurnId) {
  const { context } = server.app;
  const { turns } = context.models;
  const broken = new Proxy(turns, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "findOneAndUpdate") {
        return value;
      }
      return (...args: Parameters<typeof target.findOneAndUpdate>) => {
        if (JSON.stringify(args[0]).includes(turnId)) {
          throw new RangeError("too deep");
        }
        return target.findOneAndUpdate(...args);
      };
    },
  });
  return { ...context, models: { ...context.models, turns: broken } };
}

describe("arguments that are nested too deeply to be stored", () => {
  for (const depth of [80, 200, 1_000]) {
    it(`A36 are left out at ${depth} levels, the turn says so, and it ends`, async () => {
      const { drone, sessionId, turnId } = await running();
      const { storedSeq } = await drone.send(turnId, ...call(depth));
      expect(storedSeq).toBe(4);
      const events = await server.events(turnId);
      expect(events[2]).toMatchObject({ type: "notice", code: "event_left_out", seq: 3 });
      expect(events[3]).toMatchObject({ type: "tool:end", input: { leftOut: expect.any(String) } });
      await drone.complete(turnId, true);
      expect((await server.turn(turnId)).status).toBe("finished");
      await server.submit(sessionId, "again");
      const order = await drone.order();
      await drone.complete(order.turnId, true);
      const deleted = await server.call("deleteSession", { params: { id: sessionId } });
      expect(deleted.status).toBeLessThan(300);
      drone.disconnect();
    });
  }

  it("A36 don't hold up an abort or Force stop", async () => {
    for (const force of [false, true]) {
      const { drone, turnId } = await running();
      await drone.send(turnId, ...call(200));
      expect((await server.cancel(turnId, force)).status).toBe(200);
      if (!force) {
        await drone.complete(turnId, true, "aborted");
      }
      expect((await server.turn(turnId)).status).toBe("aborted");
      expect((await server.events(turnId)).filter(isTerminal)).toHaveLength(1);
      drone.held.clear();
      drone.disconnect();
    }
  });
});

describe("a turn that can't be recovered", () => {
  const lost = async (drone: ScriptedDrone, turnId: TurnId): Promise<void> => {
    drone.disconnect();
    const { drones, turns } = server.app.context.models;
    const past = new Date(Date.now() - 60_000);
    await drones.updateOne({ _id: drone.id }, { $set: { lastSeenAt: past } });
    await turns.updateOne({ _id: turnId }, { $set: { startedAt: past, createdAt: past } });
  };

  it("A36 does not stop the sweep for others", async () => {
    const bad = await running();
    const good = await running();
    const context = poisoned(bad.turnId);
    await lost(bad.drone, bad.turnId);
    await lost(good.drone, good.turnId);
    await sweep(context).catch(() => {});
    expect((await server.turn(good.turnId)).status).toBe("interrupted");
    await becomes(
      () => server.turn(bad.turnId),
      ({ status }) => isSettled(status),
    );
  });

  it("A36 does not stop the hello of its drone", async () => {
    const bad = await running();
    const { drone } = bad;
    const sessionId = await server.newSession(drone.id);
    const { id: goodId } = await server.submit(sessionId);
    await drone.order();
    drone.held.clear();
    await reconcile(poisoned(bad.turnId), drone.id, drone.hello());
    expect((await server.turn(goodId)).status).toBe("interrupted");
    drone.disconnect();
  });
});
