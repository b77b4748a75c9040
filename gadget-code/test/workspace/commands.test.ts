import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BackgroundCommand, CommandId, newId, type SessionId } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Person } from "../person.ts";
import { connectDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { RealDrone } from "./real-drone.ts";

let server: TestServer;
let drone: RealDrone;
beforeAll(async () => {
  server = await startServer();
  drone = await RealDrone.start(server, server.owner);
});
afterAll(async () => {
  await drone.stop();
  await server.stop();
});

const list = async (person: Person, id: SessionId): Promise<BackgroundCommand[]> =>
  (await person.ask("listCommands", { params: { id } })).items;

/** A process of the command, which ignores TERM, and whether it lives. */
interface Started {
  sessionId: SessionId;
  pid: number;
  line: string;
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A session whose first prompt makes the model start a background command. */
async function startCommand(person: Person, end: "finished" | "running"): Promise<Started> {
  const { project, directory } = await drone.project(person);
  const sessionId = await drone.session(person, project);
  const line = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done";
  drone.model.answer((call) => {
    if (call.toolResults.length === 0) {
      call.tool("shell", { command: line, background: true });
    } else {
      call.text("It runs.");
    }
    if (end === "finished" || call.toolResults.length === 0) {
      call.end();
    }
  });
  if (end === "finished") {
    await drone.settle(person, sessionId);
  } else {
    const body = { prompt: "Do it." };
    await person.ask("submitTurn", { params: { id: sessionId }, body });
    await eventually("it is listed", async () => (await list(person, sessionId)).length === 1);
  }
  const pid = await eventually("it has begun", async () => {
    const text = await readFile(join(directory, "pid"), "utf8").catch(() => "");
    return text.endsWith("\n") && Number(text);
  });
  expect(lives(pid)).toBe(true);
  return { sessionId, pid, line };
}

describe("a background command", () => {
  it("outlives its turn, is listed, and is gone when its stop is answered", async () => {
    const { owner } = server;
    const { sessionId, pid, line } = await startCommand(owner, "finished");
    const [command, ...others] = await list(owner, sessionId);
    expect(others).toEqual([]);
    expect(command).toMatchObject({ sessionId, command: line });
    if (command === undefined) {
      throw new Error("not listed");
    }
    expect(Math.abs(Date.parse(command.startedAt) - Date.now())).toBeLessThan(60_000);

    const params = { id: sessionId, commandId: command.id };
    const { stopped } = await owner.ask("stopCommand", { params });
    expect(lives(pid)).toBe(false);
    expect(stopped.left).toBe(0);
    expect(stopped.processes).toBeGreaterThanOrEqual(1);
    expect(await list(owner, sessionId)).toEqual([]);
    // A second click found it stopped: nothing more had to be ended.
    expect((await owner.ask("stopCommand", { params })).stopped.processes).toBe(0);
  });

  it("is not there for another person, nor under another session", async () => {
    const { owner, member } = server;
    const { sessionId, pid } = await startCommand(owner, "finished");
    const [command] = await list(owner, sessionId);
    if (command === undefined) {
      throw new Error("not listed");
    }
    const listed = await member.refusal("listCommands", { params: { id: sessionId } });
    expect(listed?.code).toBe("not_found");
    const { project } = await drone.project(owner);
    const other = await drone.session(owner, project);
    const attempts: [Person, SessionId, CommandId][] = [
      [member, sessionId, command.id],
      [owner, other, command.id],
      [owner, sessionId, newId(CommandId)],
    ];
    for (const [person, id, commandId] of attempts) {
      const refusal = await person.refusal("stopCommand", { params: { id, commandId } });
      expect(refusal?.code).toBe("not_found");
    }
    expect(await list(owner, other)).toEqual([]);
    expect(lives(pid)).toBe(true);
    await owner.ask("stopCommand", { params: { id: sessionId, commandId: command.id } });
    expect(lives(pid)).toBe(false);
  });

  it("dies with an abort of the turn that started it, and is not listed any more", async () => {
    const { owner } = server;
    const { sessionId, pid } = await startCommand(owner, "running");
    const [command] = await list(owner, sessionId);
    if (command === undefined) {
      throw new Error("not listed");
    }
    await owner.ask("cancelTurn", { params: { id: command.turnId } });
    await eventually("the turn is aborted", async () => {
      const { turn } = await owner.ask("getTurn", { params: { id: command.turnId } });
      return turn.status === "aborted";
    });
    expect(lives(pid)).toBe(false);
    expect(await list(owner, sessionId)).toEqual([]);
  });

  it("ends with its session, and when its project moves to another drone", async () => {
    const { owner } = server;
    const deleted = await startCommand(owner, "finished");
    await owner.ask("deleteSession", { params: { id: deleted.sessionId } });
    expect(lives(deleted.pid)).toBe(false);

    const moved = await startCommand(owner, "finished");
    const { session } = await owner.ask("getSession", { params: { id: moved.sessionId } });
    const elsewhere = await connectDrone(server, owner, {
      orders: { listFolders: ({ path = "" }) => ({ path, parent: null, entries: [] }) },
    });
    const params = { id: session.projectId };
    await owner.ask("updateProject", { params, body: { droneId: elsewhere.id } });
    expect(lives(moved.pid)).toBe(false);
    elsewhere.close();
  });

  it("of a drone that is away is neither listed nor stopped, and the refusal says why", async () => {
    const { owner } = server;
    const away = await connectDrone(server, owner);
    const { project } = await owner.ask("createProject", {
      body: { name: "P", droneId: away.id },
    });
    const { session } = await owner.ask("createSession", { params: { id: project.id } });
    away.close();
    await eventually("the drone is away", async () => {
      const refusal = await owner.refusal("listCommands", { params: { id: session.id } });
      return refusal?.code === "drone_offline";
    });
    const refusal = await owner.refusal("stopCommand", {
      params: { id: session.id, commandId: newId(CommandId) },
    });
    expect(refusal?.code).toBe("drone_offline");
    expect(refusal?.message).toContain("not connected");
  });
});
