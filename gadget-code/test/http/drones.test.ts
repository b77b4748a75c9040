import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRoute } from "../person.ts";
import { connectDrone, ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { startTurn } from "./start-turn.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ limits: { enroll: { points: 20, seconds: 60 } } });
});
afterAll(() => server.stop());

describe("an enrolment code", () => {
  it("is good for one drone, also when two come at once", async () => {
    const { owner, url, database } = server;
    const { code, command, elsewhere } = await owner.ask("createEnrollment");
    // A server on loopback is reached by drones of its own machine.
    expect(command).toContain(`--server ${url} --enroll ${code}`);
    expect(elsewhere).toBe(false);
    expect(JSON.stringify(await database.models.enrollments.find().lean())).not.toContain(code);
    const body = { code, name: "d", host: "h" };
    const tries = await Promise.all([1, 2, 3].map(() => sendRoute(url, "enrollDrone", { body })));
    expect(tries.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(tries.filter(({ status }) => status === 403)).toHaveLength(2);
  });

  it("is dead after its time", async () => {
    const { owner, database, url } = server;
    const { code } = await owner.ask("createEnrollment");
    await database.models.enrollments.updateMany({}, { $set: { expiresAt: new Date(0) } });
    const response = await sendRoute(url, "enrollDrone", { body: { code, name: "d", host: "h" } });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining("Make a new one") as string },
    });
  });
});

describe("revoking a drone", () => {
  it("closes its connection at once, loses its turns and lets its projects go", async () => {
    const { owner } = server;
    const drone = await connectDrone(server, owner);
    const { turn, project, session } = await startTurn(owner, drone);
    await owner.ask("deleteDrone", { params: { id: drone.id } });
    await drone.closed();
    const params = { id: turn.id };
    const { turn: lost } = await owner.ask("getTurn", { params });
    expect(lost).toMatchObject({
      status: "interrupted",
      errorMessage: "The drone was revoked while it worked on this turn.",
    });
    expect(
      (await owner.ask("getProject", { params: { id: project.id } })).project.droneId,
    ).toBeNull();
    await expect(drone.connect()).rejects.toMatchObject({
      data: { error: { code: "unauthenticated" } },
    });
    const { turn: waiting } = await owner.ask("submitTurn", {
      params: { id: session.id },
      body: { prompt: "and now?" },
    });
    expect(waiting).toMatchObject({ status: "queued", waitingFor: "drone" });
    const next = await connectDrone(server, owner, { name: "next" });
    expect((await next.order(waiting.id)).prompt).toBe("and now?");
    await next.complete(waiting.id, true);
    next.close();
  });

  it("is for its own owner only", async () => {
    const { owner, member } = server;
    const drone = await connectDrone(server, member);
    expect((await owner.refusal("deleteDrone", { params: { id: drone.id } }))?.code).toBe(
      "not_found",
    );
    const share = { params: { id: drone.id }, body: { shared: true } };
    expect((await member.refusal("updateDrone", share))?.code).toBe("forbidden");
    drone.close();
  });
});

describe("draining a drone", () => {
  it("tells it, gives it nothing new, and goes on where it ended", async () => {
    const { owner } = server;
    const told: boolean[] = [];
    const drone = await connectDrone(server, owner, {
      orders: {
        drain: ({ draining }) => {
          told.push(draining);
          return {};
        },
      },
    });
    const params = { id: drone.id };
    const { drone: drained } = await owner.ask("updateDrone", { params, body: { draining: true } });
    expect(drained.status).toBe("draining");
    const { project } = await owner.ask("createProject", {
      body: { name: "P", droneId: drone.id },
    });
    const { session } = await owner.ask("createSession", { params: { id: project.id } });
    const { turn } = await owner.ask("submitTurn", {
      params: { id: session.id },
      body: { prompt: "wait" },
    });
    expect(drone.received).toEqual([]);
    await owner.ask("updateDrone", { params, body: { draining: false } });
    await drone.order(turn.id);
    expect(told).toEqual([true, false]);
    drone.close();
  });
});

describe("a drone's identity", () => {
  it("is on one host at a time: a second connection closes the first", async () => {
    const { owner, url } = server;
    const first = await connectDrone(server, owner);
    const second = new ScriptedDrone(url, first.id, first.credential);
    await second.connect();
    await first.closed();
    expect([first.socket.connected, second.socket.connected]).toEqual([false, true]);
    second.close();
  });
});

describe("a connection with a drone's credential", () => {
  it("that never says hello is closed, however many there are", async () => {
    const server = await startServer({ droneHelloMs: 300 });
    try {
      const greeted = await connectDrone(server, server.owner);
      const silent = Array.from(
        { length: 6 },
        () => new ScriptedDrone(server.url, greeted.id, greeted.credential),
      );
      const closed = silent.map(({ socket }) => {
        const connected = new Promise<void>((resolve) => socket.once("connect", resolve));
        const gone = new Promise<void>(
          (resolve) => void socket.once("disconnect", () => resolve()),
        );
        socket.connect();
        return connected.then(() => gone);
      });
      await Promise.all(closed);
      expect(greeted.socket.connected).toBe(true);
      greeted.close();
    } finally {
      await server.stop();
    }
  });
});
