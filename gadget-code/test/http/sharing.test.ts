import { type BackgroundCommand, CommandId, newId, type SessionId, TurnId } from "@gadget/api";
import { becomes } from "@gadget/testing/becomes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unshareLocal } from "../../src/revoking/unshare-drone.ts";
import { openPage } from "../page.ts";
import type { Person } from "../person.ts";
import { connectDrone, type DroneScript, ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { startTurn } from "./start-turn.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const share = (person: Person, { id }: ScriptedDrone, shared: boolean) =>
  person.ask("updateDrone", { params: { id }, body: { shared } });

/** Background commands, which the drone runs until it is told to stop them. */
class Commands {
  readonly running: BackgroundCommand[] = [];

  start(sessionId: SessionId, command: string): void {
    const startedAt = new Date().toISOString();
    this.running.push({
      id: newId(CommandId),
      sessionId,
      turnId: newId(TurnId),
      command,
      startedAt,
    });
  }

  get orders(): NonNullable<DroneScript["orders"]> {
    return {
      listBackground: ({ sessionId }) => ({
        commands: this.running.filter(
          (of) => sessionId === undefined || of.sessionId === sessionId,
        ),
      }),
      stopBackground: ({ sessionId, commandId }) => {
        const gone = this.running.filter(
          (of) => of.sessionId === sessionId && (commandId === undefined || of.id === commandId),
        );
        for (const each of gone) {
          this.running.splice(this.running.indexOf(each), 1);
        }
        return { stopped: { afterMs: 1, processes: gone.length, left: 0 } };
      },
    };
  }
}

describe("the server's own drone", () => {
  it("can't be shared, and the sentence says what can be", async () => {
    const { owner, database } = server;
    const drone = await connectDrone(server, owner);
    await database.models.drones.updateOne({ _id: drone.id }, { $set: { local: true } });
    const params = { id: drone.id };
    const refusal = await owner.refusal("updateDrone", { params, body: { shared: true } });
    expect(refusal?.code).toBe("forbidden");
    expect(refusal?.message).toContain("add one that runs as another user");
    expect((await owner.ask("getDrone", { params })).drone).toMatchObject({
      local: true,
      shared: false,
    });
    drone.close();
  });

  it("is un-shared at start-up, which its owner sees, and which is written down", async () => {
    const { owner, member, database, app } = server;
    const drone = await connectDrone(server, owner, { name: "was shared" });
    const { models } = database;
    await share(owner, drone, true);
    const { turn } = await startTurn(member, drone);
    await models.drones.updateOne({ _id: drone.id }, { $set: { local: true } });
    await unshareLocal(app.context);
    const params = { id: drone.id };
    const { drone: shown } = await owner.ask("getDrone", { params });
    expect(shown).toMatchObject({
      shared: false,
      notices: [{ text: expect.stringContaining("It is not shared any more") as string }],
    });
    expect((await member.refusal("getDrone", { params }))?.code).toBe("not_found");
    const { turn: ended } = await member.ask("getTurn", { params: { id: turn.id } });
    expect(ended.status).toBe("aborting");
    const { items } = await becomes(
      () => owner.ask("listAudit", { query: { limit: 100 } }),
      (log) => log.items.some(({ action }) => action === "drone unshared"),
    );
    expect(items.find(({ action }) => action === "drone unshared")).toMatchObject({
      userId: null,
      subject: drone.id,
    });
    const noticesSeenAt = shown.notices?.at(-1)?.at ?? "";
    const { drone: seen } = await owner.ask("updateDrone", { params, body: { noticesSeenAt } });
    expect(seen.notices).toEqual([]);
    drone.close();
  });
});

describe("background commands on a shared drone", () => {
  it("are seen by its owner without their text, can be stopped, and end with the sharing", async () => {
    const { owner, member } = server;
    const commands = new Commands();
    const drone = await connectDrone(server, owner, { orders: commands.orders });
    await share(owner, drone, true);
    const { session } = await startTurn(member, drone);
    const own = await startTurn(owner, drone);
    commands.start(session.id, "sleep 1001");
    commands.start(session.id, "sleep 1002");
    commands.start(own.session.id, "sleep 1003");
    const params = { id: drone.id };
    const { items } = await owner.ask("listDroneCommands", { params });
    expect(items.map(({ by, own: mine }) => [by.name, mine?.command])).toEqual([
      [member.user.name, undefined],
      [member.user.name, undefined],
      [owner.user.name, "sleep 1003"],
    ]);
    const { items: members } = await member.ask("listDroneCommands", { params });
    expect(members.map(({ own: mine }) => mine?.command)).toEqual(["sleep 1001", "sleep 1002"]);
    const [first] = items;
    const of = (command: typeof first) => ({ id: drone.id, commandId: command?.id as CommandId });
    await owner.ask("stopDroneCommand", { params: of(first) });
    expect(commands.running.map(({ command }) => command)).toEqual(["sleep 1002", "sleep 1003"]);
    const foreign = await member.refusal("stopDroneCommand", { params: of(items[2]) });
    expect(foreign?.code).toBe("not_found");
    await share(owner, drone, false);
    expect(commands.running.map(({ command }) => command)).toEqual(["sleep 1003"]);
    drone.close();
  });

  it("that ran on while the drone was away end when it is back", async () => {
    const { owner, member } = server;
    const commands = new Commands();
    const drone = await connectDrone(server, owner, { orders: commands.orders });
    await share(owner, drone, true);
    const { session } = await startTurn(member, drone);
    commands.start(session.id, "sleep 1001");
    drone.close();
    await becomes(
      () => server.app.context.line.isHere(drone.id),
      (isHere) => !isHere,
    );
    await share(owner, drone, false);
    expect(commands.running).toHaveLength(1);
    await drone.connect();
    await becomes(
      () => commands.running,
      (running) => running.length === 0,
    );
    drone.close();
  });

  it("of a removed member end, and the drone's owner sees it", async () => {
    const { owner } = server;
    const commands = new Commands();
    const drone = await connectDrone(server, owner, { orders: commands.orders, name: "lent" });
    await share(owner, drone, true);
    const leaver = await server.join("Lou");
    const { session } = await startTurn(leaver, drone);
    commands.start(session.id, "sleep 1001");
    await owner.ask("deleteMember", { params: { id: leaver.user.id } });
    expect(commands.running).toEqual([]);
    const words = "1 turn and 1 background command ended";
    const { drone: shown } = await owner.ask("getDrone", { params: { id: drone.id } });
    expect(shown.notices?.[0]?.text).toBe(`Lou was removed by Olive: ${words} here.`);
    const { items } = await becomes(
      () => owner.ask("listAudit", { query: { limit: 100 } }),
      (log) => log.items.some(({ action }) => action === "member removed"),
    );
    expect(items.find(({ action }) => action === "member removed")?.detail).toBe(
      `lou@example.com: ${words}`,
    );
    drone.close();
  });
});

describe("a drone's credential that is used twice", () => {
  const noticesOf = async ({ id }: ScriptedDrone) =>
    (await server.owner.ask("getDrone", { params: { id } })).drone.notices ?? [];

  it("is nothing to tell of when the drone starts again", async () => {
    const first = await connectDrone(server, server.owner);
    first.close();
    const next = new ScriptedDrone(server.url, first.id, first.credential);
    await next.connect();
    next.close();
    await next.connect();
    expect(await noticesOf(first)).toEqual([]);
    next.close();
  });

  it("on another host is told to its owner, with host and address, and written down", async () => {
    const own = await connectDrone(server, server.owner, { name: "workbench" });
    const script = { name: "elsewhere" };
    const thief = new ScriptedDrone(server.url, own.id, own.credential, script);
    await thief.connect();
    const [notice] = await noticesOf(own);
    expect(notice?.text).toMatch(/used on another host: "elsewhere" \(.*127\.0\.0\.1\)/);
    expect(notice?.text).toContain('before it was "workbench"');
    const { items } = await becomes(
      () => server.owner.ask("listAudit", { query: { limit: 100 } }),
      (log) => log.items.some(({ action }) => action === "drone used twice"),
    );
    const entry = items.find(({ action }) => action === "drone used twice");
    expect(entry).toMatchObject({
      subject: own.id,
      address: expect.stringContaining("127.0.0.1") as string,
    });
    thief.close();
  });

  it("under the same name is told when the first one comes back", async () => {
    const own = await connectDrone(server, server.owner);
    const thief = new ScriptedDrone(server.url, own.id, own.credential);
    await thief.connect();
    await own.closed();
    expect(await noticesOf(own)).toEqual([]);
    for (const each of [own, thief, own, thief]) {
      await each.connect();
    }
    const notices = await noticesOf(own);
    expect(notices.map(({ text }) => text)).toEqual([
      expect.stringContaining("Two drones use this drone's credential"),
    ]);
    own.close();
    thief.close();
  });
});

describe("a project whose drone was revoked", () => {
  it("says so, can be given another one, and takes what waits along", async () => {
    const { owner } = server;
    const drone = await connectDrone(server, owner, { name: "lost" });
    const { project, session, turn } = await startTurn(owner, drone);
    const { use } = await owner.ask("getDroneUse", { params: { id: drone.id } });
    expect(use).toEqual({ projects: [project.name], othersProjects: 0, sessions: 1, turns: 1 });
    const other = await connectDrone(server, owner, { name: "chosen" });
    const page = await openPage(server.url, owner);
    const heard: unknown[] = [];
    page.socket.on("sessionChanged", ({ session: { droneId } }) => heard.push(droneId));
    await owner.ask("deleteDrone", { params: { id: drone.id } });
    const params = { id: project.id };
    expect((await owner.ask("getProject", { params })).project).toMatchObject({
      droneId: null,
      lostDrone: "lost",
    });
    const interrupted = await owner.ask("getTurn", { params: { id: turn.id } });
    expect(interrupted.turn.status).toBe("interrupted");
    const body = { prompt: "and now?" };
    const { turn: waiting } = await owner.ask("submitTurn", { params: { id: session.id }, body });
    const moved = await owner.ask("updateProject", { params, body: { droneId: other.id } });
    expect(moved.project.lostDrone).toBeUndefined();
    expect((await other.order(waiting.id)).prompt).toBe("and now?");
    await becomes(
      () => heard.at(-1),
      (droneId) => droneId === other.id,
    );
    expect(heard).toContain(null);
    other.close();
    page.close();
  });
});
