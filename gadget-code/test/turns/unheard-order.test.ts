import { tmpdir } from "node:os";
import { type ChatTurn, InstanceId, isTerminal, newId, type WorkOrder } from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { ScriptedDrone } from "./scripted-drone.ts";
import { TurnServer } from "./turn-server.ts";

let server: TurnServer;
beforeAll(async () => {
  server = await TurnServer.start({ GADGET_DRONE_GRACE: "2" });
});
afterAll(() => server.close());

/** A prompt whose order reaches a drone that never answers it: its connection is dying. */
async function unanswered() {
  const drone = await server.newDrone();
  await drone.connect();
  const answer = { given: drone.accept };
  const reached = new Promise<WorkOrder>((resolve) => {
    drone.accept = (order) => {
      resolve(order);
      return new Promise(() => {});
    };
  });
  const sessionId = await server.newSession(drone.id);
  const { id: turnId } = await server.submit(sessionId);
  const lost = await reached;
  expect((await server.turn(turnId)).status).toBe("processing");
  drone.accept = answer.given;
  return { drone, turnId, lost };
}

/** It is ordered once more, and comes to its end. */
async function runAgain(drone: ScriptedDrone, lost: WorkOrder): Promise<ChatTurn> {
  const { turnId } = lost;
  const order = await drone.order();
  expect(order).toMatchObject({ turnId, nextSeq: lost.nextSeq, prompt: lost.prompt });
  expect(order.epoch).toBeGreaterThan(lost.epoch);
  // What was in flight is fenced off.
  const late = { turnId, seq: order.nextSeq, epoch: lost.epoch, at: new Date().toISOString() };
  const event = { ...late, type: "notice", level: "info", text: "late" } as const;
  expect(await drone.sendEvents(turnId, lost.epoch, [event])).toMatchObject({ lost: true });
  await drone.send(turnId, { type: "turn:changed", status: "processing" });
  await drone.complete(turnId, true);
  expect((await server.events(turnId)).filter(isTerminal)).toHaveLength(1);
  return server.turn(turnId);
}

describe("an order that a drone never accepted", () => {
  it("A1 is handed out again when the drone is back and has not heard of it", async () => {
    const { drone, lost } = await unanswered();
    drone.disconnect();
    await drone.connect();
    expect((await runAgain(drone, lost)).status).toBe("finished");
    drone.disconnect();
  });

  it("A1 is handed out again to a new process of the drone", async () => {
    const { drone, lost } = await unanswered();
    drone.disconnect();
    await drone.connect(newId(InstanceId));
    expect((await runAgain(drone, lost)).status).toBe("finished");
    drone.disconnect();
  });

  it("A1 is handed out at another node, where the drone went meanwhile", async () => {
    const { drone, lost } = await unanswered();
    const { config, models, secret } = server.app.context;
    const connection = models.turns.db;
    const database = { connection, models, isFull: () => false, close: async () => {} };
    const log = pino({ level: "silent" });
    const parts = { config, database, secret, log, version: "0.0.0", page: tmpdir() };
    const other = buildApp(parts);
    const moved = drone.movedTo(await other.listen());
    await moved.connect();
    expect((await runAgain(moved, lost)).status).toBe("finished");
    moved.disconnect();
    drone.disconnect();
    await other.close();
  });

  it("A1 is handed out again when the drone beats on without it", async () => {
    const { drone, lost } = await unanswered();
    await becomes(
      async () => (await drone.heartbeat(), server.app.context.live.get(lost.turnId)?.epoch),
      (epoch) => epoch !== lost.epoch,
    );
    expect(drone.killed).toEqual([lost.turnId]);
    expect((await runAgain(drone, lost)).status).toBe("finished");
    drone.disconnect();
  });

  it("A6 is aborted when that was asked for meanwhile, and never runs", async () => {
    const { drone, turnId } = await unanswered();
    drone.onAbort = () => new Promise(() => {});
    await server.cancel(turnId);
    drone.disconnect();
    await drone.connect();
    expect(await server.turn(turnId)).toMatchObject({ status: "aborted" });
    drone.disconnect();
  });

  it("A1 is interrupted when the drone had begun it, or can't say so", async () => {
    for (const says of ["begun", "nothing"] as const) {
      const { drone, turnId, lost } = await unanswered();
      drone.begun = says === "nothing" ? undefined : [{ turnId, epoch: lost.epoch }];
      drone.disconnect();
      await drone.connect();
      expect((await server.turn(turnId)).status).toBe("interrupted");
      drone.disconnect();
    }
  });
});
