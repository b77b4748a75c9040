import { newId, ProviderId, RefusalError, type SessionId } from "@gadget/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDrone, type ScriptedDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { startTurn } from "./start-turn.ts";

let server: TestServer;
let drone: ScriptedDrone;
let other: ScriptedDrone;
beforeAll(async () => {
  server = await startServer();
  drone = await connectDrone(server, server.owner, {
    orders: {
      listFolders: ({ path = "" }) => {
        if (path === "/srv/app") {
          return { path, parent: "/srv", entries: [] };
        }
        throw new RefusalError("invalid", `"${path}" is not under the folders of this drone.`);
      },
    },
  });
  other = await connectDrone(server, server.owner, { name: "other" });
});
afterAll(async () => {
  drone.close();
  other.close();
  await server.stop();
});

describe("a new project", () => {
  it("opens only folders that its drone may open", async () => {
    const { owner } = server;
    const open = (directory: string) =>
      owner.refusal("createProject", { body: { name: "P", droneId: drone.id, directory } });
    expect(await open("/srv/app")).toBeUndefined();
    expect(await open("/etc")).toMatchObject({ code: "invalid", status: 400 });
    expect(await open("srv/app")).toMatchObject({ code: "invalid" });
  });

  it("opens no folders on somebody else's drone, shared or not", async () => {
    const { owner, member } = server;
    const body = { name: "P", droneId: drone.id };
    expect((await member.refusal("createProject", { body }))?.code).toBe("invalid");
    await owner.ask("updateDrone", { params: { id: drone.id }, body: { shared: true } });
    expect(await member.refusal("createProject", { body })).toBeUndefined();
    const folder = { body: { ...body, directory: "/srv/app" } };
    expect((await member.refusal("createProject", folder))?.code).toBe("forbidden");
    await owner.ask("updateDrone", { params: { id: drone.id }, body: { shared: false } });
  });

  it("takes only addresses that git may clone", async () => {
    const clone = (gitUrl: string) =>
      server.owner.refusal("createProject", { body: { name: "P", droneId: drone.id, gitUrl } });
    for (const good of ["https://example.com/a.git", "git@example.com:a/b.git"]) {
      expect(await clone(good), good).toBeUndefined();
    }
    for (const bad of ["ext::sh -c id", "--upload-pack=id", "file:///etc", "ssh://-oProxy=x"]) {
      expect((await clone(bad))?.code, bad).toBe("invalid");
    }
  });

  it("needs to be told which drone where there are several", async () => {
    const refusal = await server.owner.refusal("createProject", { body: { name: "P" } });
    expect(refusal?.message).toContain("several drones");
  });
});

describe("a project", () => {
  it("moves to another drone with all that waits, but not while a turn of it runs", async () => {
    const { owner } = server;
    const { project, session, turn } = await startTurn(owner, drone);
    const there = { params: { id: project.id }, body: { droneId: other.id, name: "Moved" } };
    expect((await owner.refusal("updateProject", there))?.code).toBe("in_use");
    await drone.complete(turn.id, true);
    const { project: moved } = await owner.ask("updateProject", there);
    expect(moved).toMatchObject({ name: "Moved", droneId: other.id });
    const { turn: next } = await owner.ask("submitTurn", {
      params: { id: session.id },
      body: { prompt: "again" },
    });
    expect((await other.order(next.id)).prompt).toBe("again");
    await other.complete(next.id, true);
  });

  it("is deleted with its sessions, turns and logs, but not while a turn of it runs", async () => {
    const { owner, database } = server;
    const { project, session, turn } = await startTurn(owner, drone);
    for (const [name, id] of [
      ["deleteProject", project.id],
      ["deleteSession", session.id],
    ] as const) {
      const refusal = await owner.send(name, { params: { id } });
      expect(refusal.status, name).toBe(409);
      expect(await refusal.json()).toMatchObject({ error: { code: "in_use" } });
    }
    await drone.complete(turn.id, true);
    await owner.ask("deleteProject", { params: { id: project.id } });
    const { models } = database;
    expect(await models.sessions.countDocuments({ projectId: project.id })).toBe(0);
    expect(await models.turns.countDocuments({ sessionId: session.id })).toBe(0);
    expect(await models.batches.countDocuments({ turnId: turn.id })).toBe(0);
    const gone = { params: { id: project.id } };
    expect((await owner.refusal("getProject", gone))?.code).toBe("not_found");
  });
});

describe("a session", () => {
  it("starts with the project's last provider and model", async () => {
    const { owner } = server;
    const body = { name: "Local", kind: "ollama", baseUrl: "http://127.0.0.1:1" } as const;
    const { provider } = await owner.ask("createProvider", { body });
    const { project } = await owner.ask("createProject", {
      body: { name: "P", droneId: drone.id },
    });
    const params = { id: project.id };
    const choice = { providerId: provider.id, model: "big" };
    const { session } = await owner.ask("createSession", { params });
    expect(session).toMatchObject({ providerId: provider.id, model: null });
    await owner.ask("updateSession", { params: { id: session.id }, body: choice });
    expect((await owner.ask("createSession", { params })).session).toMatchObject(choice);
    const unknown = { params: { id: session.id }, body: { providerId: newId(ProviderId) } };
    expect((await owner.refusal("updateSession", unknown))?.code).toBe("invalid");
    await owner.ask("deleteProvider", { params: { id: provider.id } });
  });

  it("is listed in pages that lose and double nothing", async () => {
    const { owner } = server;
    const { project } = await owner.ask("createProject", {
      body: { name: "Many", droneId: drone.id },
    });
    const params = { id: project.id };
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      made.push((await owner.ask("createSession", { params })).session.id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await owner.ask("listProjectSessions", { params, query: { limit: 2, cursor } });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(made.toSorted());
    for (const bad of ["x", "1_$ne", `${"9".repeat(16)}_abcdefgh`]) {
      const response = await owner.send("listProjectSessions", { params, query: { cursor: bad } });
      expect(response.status, bad).toBe(400);
    }
  });
});

describe("search", () => {
  it("finds one's own titles, prompts and answers, whatever the words mean to a regex", async () => {
    const { owner, member } = server;
    const { turn, session } = await startTurn(owner, drone, "Where is the (a+)+$ treasure?");
    await drone.send(turn.id, { type: "text:start", partId: "p" });
    await drone.send(turn.id, { type: "text:end", partId: "p", text: "Under the Old Oak." });
    await drone.complete(turn.id, true);
    const title = { params: { id: session.id }, body: { title: "Treasure hunt" } };
    await owner.ask("updateSession", title);
    const find = async (q: string, limit = 50) => owner.ask("search", { query: { q, limit } });
    expect((await find("old oak")).items).toEqual([
      {
        sessionId: session.id,
        turnId: turn.id,
        title: "Treasure hunt",
        excerpt: "Under the Old Oak.",
      },
    ]);
    expect((await find("(a+)+$")).items.map(({ turnId }) => turnId)).toEqual([turn.id]);
    expect((await find(".*")).items).toEqual([]);

    const pages = [await find("treasure", 1)];
    for (let next = pages[0]?.nextCursor; next; next = pages.at(-1)?.nextCursor) {
      pages.push(await owner.ask("search", { query: { q: "treasure", limit: 1, cursor: next } }));
    }
    expect(pages.flatMap(({ items }) => items)).toMatchObject([
      { sessionId: session.id, title: "Treasure hunt" },
      { sessionId: session.id, turnId: turn.id },
    ]);
    expect((await member.ask("search", { query: { q: "treasure" } })).items).toEqual([]);
  });

  it("looks only into the session that it is told, and not at its title", async () => {
    const { owner, member } = server;
    const one = await startTurn(owner, drone, "A lighthouse");
    await drone.complete(one.turn.id, true);
    const two = await startTurn(owner, drone, "What shines at night?");
    await drone.send(two.turn.id, { type: "text:start", partId: "p" });
    await drone.send(two.turn.id, { type: "text:end", partId: "p", text: "The lighthouse." });
    await drone.complete(two.turn.id, true);
    const hits = async (sessionId: SessionId, person = owner) => {
      const { items } = await person.ask("search", { query: { q: "lighthouse", sessionId } });
      return items.map(({ turnId }) => turnId);
    };
    expect(await hits(one.session.id)).toEqual([one.turn.id]);
    expect(await hits(two.session.id)).toEqual([two.turn.id]);
    expect(await hits(two.session.id, member)).toEqual([]);
  });
});

describe("export", () => {
  it("gives the whole session as JSON and as Markdown", async () => {
    const { owner } = server;
    const { turn, session } = await startTurn(owner, drone, "Write ``` in a file");
    await drone.send(turn.id, { type: "text:start", partId: "p" });
    await drone.send(turn.id, { type: "text:end", partId: "p", text: "Done: **a**." });
    await drone.complete(turn.id, false, "The model is gone.");
    const params = { id: session.id };
    const json = await owner.ask("exportSession", { params });
    expect(json.session.id).toBe(session.id);
    expect(json.turns).toMatchObject([{ turn: { id: turn.id, status: "error" } }]);
    const response = await owner.send("exportSession", { params, query: { format: "md" } });
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(response.headers.get("content-disposition")).toContain('filename="Write in a file.md"');
    const markdown = await response.text();
    expect(markdown).toContain("> Write ``` in a file");
    expect(markdown).toContain("Done: **a**.");
    expect(markdown).toContain("*The turn failed: The model is gone.*");
  });
});
