import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Project, ProjectId } from "@gadget/api";
import { census } from "@gadget/testing/census";
import { SlowGitServer } from "@gadget/testing/slow-git-server";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { connectDrone } from "../scripted-drone.ts";
import { startServer, type TestServer } from "../server.ts";
import { RealDrone } from "./real-drone.ts";

let server: TestServer;
let drone: RealDrone;
let repository: SlowGitServer;
beforeAll(async () => {
  [server, repository] = await Promise.all([startServer(), SlowGitServer.start()]);
  drone = await RealDrone.start(server, server.owner);
});
afterAll(async () => {
  await drone.stop();
  await repository.stop();
  await server.stop();
});
beforeEach(() => {
  repository.bytesPerSecond = Number.POSITIVE_INFINITY;
});

const noHost = "https://no-such-host.invalid/x.git";

async function create(gitUrl: string): Promise<Project> {
  const body = { name: "Cloned", droneId: drone.id, gitUrl };
  return (await server.owner.ask("createProject", { body })).project;
}

async function cloneOf(id: ProjectId): Promise<Project["clone"]> {
  return (await server.owner.ask("getProject", { params: { id } })).project.clone;
}

async function until(id: ProjectId, clone: object): Promise<void> {
  await expect.poll(() => cloneOf(id), { timeout: 20_000, interval: 50 }).toMatchObject(clone);
}

async function left(id: ProjectId): Promise<string[]> {
  const workspaces = join(drone.folder, "workspaces");
  const folders = (await readdir(workspaces)).filter((name) => name.startsWith(id));
  return [...folders, ...(await census(workspaces)).filter((line) => line.includes(id))];
}

it("a git project is cloned when it is made: its files are there before a first turn", async () => {
  const { id, clone } = await create(repository.url);
  expect(clone).toMatchObject({ state: "cloning" });
  await until(id, { state: "cloned" });
  const { session } = await server.owner.ask("createSession", { params: { id } });
  const listing = await server.owner.ask("readFiles", {
    params: { id: session.id },
    query: { path: "src" },
  });
  expect(listing).toMatchObject({ kind: "folder", entries: [{ path: "src/hello.txt" }] });
});

it("a clone tells how far it is, and a cancelled one leaves nothing and can be begun again", async () => {
  repository.bytesPerSecond = 40_000;
  const { id } = await create(repository.url);
  const params = { id };
  await until(id, {
    state: "cloning",
    progress: expect.stringMatching(/Receiving objects: +\d+%/),
  });
  const { project } = await server.owner.ask("cancelClone", { params });
  expect(project.clone).toEqual({ state: "missing" });
  expect(await left(id)).toEqual([]);
  repository.bytesPerSecond = Number.POSITIVE_INFINITY;
  await server.owner.ask("startClone", { params, body: {} });
  await until(id, { state: "cloned" });
  expect(await left(id)).toEqual([id]);
});

it("what was wrong with an address is told, without a secret of it, and it can be mended", async () => {
  const { id } = await create(noHost.replace("//", "//ada:token-canary@"));
  const params = { id };
  await until(id, { state: "failed", problem: expect.stringMatching(/resolve|no-such-host/) });
  expect(JSON.stringify(await cloneOf(id))).not.toContain("token-canary");
  const refusal = (gitUrl: string) =>
    server.owner.refusal("startClone", { params, body: { gitUrl } });
  expect(await refusal("file:///etc")).toMatchObject({ code: "invalid" });
  const body = { gitUrl: repository.url };
  const { project } = await server.owner.ask("startClone", { params, body });
  expect(project.source).toEqual({ kind: "git", gitUrl: repository.url });
  await until(id, { state: "cloned" });
  expect(await refusal(noHost)).toMatchObject({ code: "conflict" });
  expect((await server.owner.ask("startClone", { params, body: {} })).project.clone).toEqual({
    state: "cloned",
  });
});

it("a project that is removed ends its clone, and a turn waits for one that is under way", async () => {
  repository.bytesPerSecond = 40_000;
  const gone = await create(repository.url);
  await until(gone.id, { state: "cloning" });
  await server.owner.ask("deleteProject", { params: { id: gone.id } });
  await expect.poll(() => left(gone.id), { timeout: 20_000 }).toEqual([]);

  const project = await create(repository.url);
  await until(project.id, { state: "cloning", progress: expect.stringContaining("Receiving") });
  const requests = repository.requests;
  drone.model.answerWithTools(["read_file", { path: "src/hello.txt" }]);
  const sessionId = await drone.session(server.owner, project);
  const settled = drone.settle(server.owner, sessionId);
  repository.bytesPerSecond = Number.POSITIVE_INFINITY;
  await settled;
  await until(project.id, { state: "cloned" });
  expect(repository.requests).toBe(requests);
});

it("a drone that does not know of clones is asked for nothing more", async () => {
  const older = await connectDrone(server, server.owner, { name: "older" });
  const body = { name: "Old", droneId: older.id, gitUrl: repository.url };
  const { project } = await server.owner.ask("createProject", { body });
  expect(project.clone).toBeUndefined();
  older.close();
});

it("nobody else can begin or cancel a clone", async () => {
  const { id } = await create(noHost);
  const params = { id };
  const { member } = server;
  expect(await member.refusal("startClone", { params, body: {} })).toMatchObject({ status: 404 });
  expect(await member.refusal("cancelClone", { params })).toMatchObject({ status: 404 });
});
