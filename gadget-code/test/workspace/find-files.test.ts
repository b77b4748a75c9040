import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathOf, routes, type SessionId } from "@gadget/api";
import { afterAll, beforeAll, expect, it } from "vitest";
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

async function open(...files: string[]): Promise<{ id: SessionId; directory: string }> {
  const { project, directory } = await drone.project(server.owner);
  for (const file of files) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await writeFile(join(directory, file), "text\n");
  }
  return { id: await drone.session(server.owner, project), directory };
}

const find = async (id: SessionId, q: string, limit?: number) => {
  const query = { q, ...(limit !== undefined && { limit }) };
  const found = await server.owner.ask("findFiles", { params: { id }, query });
  return { ...found, paths: found.items.map(({ path }) => path) };
};

it("files are found by letters of their names, the best first, and folders with them", async () => {
  const { id } = await open("src/app.ts", "src/pages/ApplePage.tsx", "docs/map.md", "README.md");
  expect((await find(id, "app")).paths).toEqual(["src/app.ts", "src/pages/ApplePage.tsx"]);
  expect((await find(id, "APgtsx")).paths).toEqual(["src/pages/ApplePage.tsx"]);
  expect((await find(id, "pages")).items[0]).toEqual({ path: "src/pages", kind: "folder" });
  expect(await find(id, "nothing-like-it")).toMatchObject({ items: [], nextCursor: null });
  expect((await find(id, "")).paths).toHaveLength(7);
});

it("what git ignores and what a link leads to is not found", async () => {
  const { id, directory } = await open(
    "src/needle.ts",
    "build/needle.js",
    "node_modules/needle.js",
  );
  await writeFile(join(directory, ".gitignore"), "build/\n*.log\n");
  await writeFile(join(directory, "needle.log"), "");
  execFileSync("git", ["init", "-q"], { cwd: directory });
  await writeFile(join(directory, ".git", "needle"), "");
  const outside = join(drone.folder, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "needle"), "");
  await symlink(outside, join(directory, "linked"));
  await symlink(join(outside, "needle"), join(directory, "needle-link"));
  expect((await find(id, "needle")).paths).toEqual(["src/needle.ts"]);
});

it("at most 50 are answered, in pages for whoever wants fewer", async () => {
  const names = Array.from({ length: 80 }, (_, index) => `part-${String(index).padStart(2, "0")}`);
  const { id } = await open(...names);
  const all = await find(id, "part");
  expect(all.paths).toEqual(names.slice(0, 50));
  expect(all.note).toBeUndefined();
  const first = await find(id, "part", 10);
  expect(first.paths).toEqual(names.slice(0, 10));
  expect(first.nextCursor).not.toBeNull();
});

it("somebody else's session is not there, and a drone that is away is refused in a sentence", async () => {
  const { owner } = server;
  const { id } = await open("a.ts");
  const query = { q: "a" };
  const hidden = await server.member.refusal("findFiles", { params: { id }, query });
  expect(hidden?.code).toBe("not_found");
  const away = await connectDrone(server, owner);
  const { project } = await owner.ask("createProject", { body: { name: "P", droneId: away.id } });
  const { session } = await owner.ask("createSession", { params: { id: project.id } });
  away.close();
  const refusal = () => owner.refusal("findFiles", { params: { id: session.id }, query });
  await expect.poll(async () => (await refusal())?.code).toBe("drone_offline");
  const sister = await owner.refusal("readFiles", { params: { id: session.id } });
  expect((await refusal())?.message).toBe(sister?.message);
  expect(
    (await owner.refusal("findFiles", { params: { id }, query: { q: "a".repeat(201) } }))?.code,
  ).toBe("invalid");
});

it("the search ends on the drone when its asker has left", async () => {
  const asked: string[] = [];
  const ended: string[] = [];
  const { owner } = server;
  const slow = await connectDrone(server, owner, {
    orders: {
      findFiles: ({ requestId }) => {
        asked.push(requestId);
        return new Promise(() => {});
      },
      cancelRequest: ({ requestId }) => {
        ended.push(requestId);
        return {};
      },
    },
  });
  const { project } = await owner.ask("createProject", { body: { name: "P", droneId: slow.id } });
  const { session } = await owner.ask("createSession", { params: { id: project.id } });
  const leaving = new AbortController();
  const path = pathOf(routes.findFiles.path, { id: session.id });
  const answer = fetch(`${server.url}${path}?q=a`, {
    headers: { authorization: `Bearer ${owner.token}` },
    signal: leaving.signal,
  }).catch((error: unknown) => error);
  await expect.poll(() => asked.length).toBe(1);
  leaving.abort();
  expect(await answer).toBeInstanceOf(Error);
  await expect.poll(() => ended).toEqual(asked);
  slow.close();
});
