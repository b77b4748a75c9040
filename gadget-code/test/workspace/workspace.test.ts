import { execFileSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathOf, routes, type SessionId } from "@gadget/api";
import { census } from "@gadget/testing/census";
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

const git = (directory: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
    cwd: directory,
    encoding: "utf8",
  }).trim();

async function open(): Promise<{ sessionId: SessionId; directory: string }> {
  const { project, directory } = await drone.project(server.owner);
  return { sessionId: await drone.session(server.owner, project), directory };
}

const read = async (id: SessionId) => {
  const params = { id };
  const { workspace } = await server.owner.ask("getWorkspace", { params });
  const { files, note } = await server.owner.ask("getWorkspaceDiff", { params });
  return { workspace, note, changes: files.map(({ file }) => `${file.change} ${file.path}`) };
};

it("the branch and all changes since the commit are told, whoever made them", async () => {
  const { sessionId, directory } = await open();
  const plain = await read(sessionId);
  expect(plain.workspace).toEqual({ directory, branch: null, commit: null });
  expect(plain.note).toContain("not a git repository");

  git(directory, "init", "-q", "-b", "main");
  await writeFile(join(directory, "a.txt"), "one\n");
  await writeFile(join(directory, ".gitignore"), "*.log\n");
  git(directory, "add", ".");
  git(directory, "commit", "-qm", "First");
  const commit = git(directory, "rev-parse", "HEAD");
  expect(await read(sessionId)).toEqual({
    workspace: { directory, branch: "main", commit },
    note: undefined,
    changes: [],
  });

  await writeFile(join(directory, "by-hand.txt"), "mine\n");
  drone.model.answerWithTools(
    ["shell", { command: "git checkout -q -b feature/x; echo two > a.txt; echo x > x.log" }],
    ["write_file", { path: "b.txt", content: "new\n" }],
  );
  await drone.settle(server.owner, sessionId);
  expect(await read(sessionId)).toEqual({
    workspace: { directory, branch: "feature/x", commit },
    note: undefined,
    changes: ["modified a.txt", "created b.txt", "created by-hand.txt"],
  });
  git(directory, "checkout", "-q", "--detach");
  expect((await read(sessionId)).workspace).toEqual({ directory, branch: null, commit });
});

it("a hostile repository runs nothing, and what is too much for one message does not come", async () => {
  const { sessionId, directory } = await open();
  const owned = join(drone.folder, "owned");
  git(directory, "init", "-q", "-b", "main");
  await writeFile(join(directory, ".gitattributes"), "* filter=evil diff=evil\n");
  await writeFile(join(directory, "a.txt"), "one\n");
  git(directory, "add", ".");
  git(directory, "commit", "-qm", "First");
  for (const key of ["core.fsmonitor", "diff.external", "diff.evil.textconv"]) {
    git(directory, "config", key, `touch ${owned} #`);
  }
  for (const name of ["clean", "smudge", "process"]) {
    git(directory, "config", `filter.evil.${name}`, `touch ${owned} #`);
  }
  const line = `${"\u0001".repeat(120)}\n`;
  for (let index = 0; index < 8; index += 1) {
    await writeFile(join(directory, `long-${index}.txt`), line.repeat(6_000));
  }
  await writeFile(join(directory, "a.txt"), "two\n");
  const { changes } = await read(sessionId);
  expect(changes).toHaveLength(9);
  expect(await readdir(drone.folder)).not.toContain("owned");
});

it("the diff and the undo of a turn fit into a message, however much it wrote", async () => {
  const { sessionId } = await open();
  const command =
    "for n in $(seq 10 29); do yes $n a line of text | head -c 1000000 > $n.txt; done";
  drone.model.answerWithTools(["shell", { command }]);
  const turnId = await drone.settle(server.owner, sessionId);
  const params = { id: turnId };
  const { files } = await server.owner.ask("getDiff", { params });
  expect(files.map(({ file }) => file.path)).toHaveLength(20);
  expect(files[0]?.diff).toContain("+10 a line of text");
  expect(files.at(-1)?.diff).toBe("The diff is too long to be shown here.\n");
  const { restored } = await server.owner.ask("undoTurn", { params, body: { preview: true } });
  expect(restored).toHaveLength(20);
});

it("a comparison whose asker leaves ends on the drone", async () => {
  const { sessionId, directory } = await open();
  git(directory, "init", "-q", "-b", "main");
  // Git waits here for somebody who writes.
  execFileSync("mkfifo", [join(directory, ".gitignore")]);
  const processes = async () => (await census(directory)).filter((line) => line.includes("git "));
  const temporary = () => readdir(join(drone.folder, "data", "tmp"));
  const leaving = new AbortController();
  const asked = fetch(server.url + pathOf(routes.getWorkspaceDiff.path, { id: sessionId }), {
    headers: { authorization: `Bearer ${server.owner.token}` },
    signal: leaving.signal,
  }).catch((error: unknown) => error);
  await expect.poll(processes, { timeout: 15_000 }).not.toEqual([]);
  expect(await temporary()).toHaveLength(1);
  leaving.abort();
  expect(await asked).toBeInstanceOf(Error);
  await expect.poll(processes, { timeout: 15_000 }).toEqual([]);
  await expect.poll(temporary, { timeout: 15_000 }).toEqual([]);
});

it("a drone that is away is refused in a sentence", async () => {
  const { owner } = server;
  const away = await connectDrone(server, owner);
  const { project } = await owner.ask("createProject", { body: { name: "P", droneId: away.id } });
  const { session } = await owner.ask("createSession", { params: { id: project.id } });
  away.close();
  await expect
    .poll(async () => (await owner.refusal("getWorkspace", { params: { id: session.id } }))?.code)
    .toBe("drone_offline");
  const refusal = await owner.refusal("getWorkspaceDiff", { params: { id: session.id } });
  expect(refusal).toMatchObject({ code: "drone_offline" });
});
