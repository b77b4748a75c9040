import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { eventually } from "@gadget/testing/eventually";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TestDrone } from "./support/test-drone.ts";

const token = "tok-can%40ry";
let test: TestDrone;
let site: Server;
const asked: string[] = [];

/** A private repository: whoever asks must say who it is. */
beforeAll(async () => {
  test = await TestDrone.start();
  const origin = join(test.folder, "private");
  await mkdir(origin);
  await writeFile(join(origin, "a.txt"), "private\n");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: origin });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "First");
  git("update-server-info");
  site = createServer((request, response) => {
    const given = request.headers.authorization;
    if (given !== `Basic ${btoa("ada:tok-can@ry")}` && given !== `Basic ${btoa("tok-can@ry:")}`) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
      return;
    }
    asked.push(given);
    const path = decodeURIComponent((request.url ?? "").replace(/\?.*/, ""));
    readFile(join(origin, ".git", path)).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  site.listen(0, "127.0.0.1");
  await eventually("it listens", () => site.listening);
});
afterAll(async () => {
  site.close();
  await test.stop();
});

const address = (user: string) =>
  `http://${user}@127.0.0.1:${(site.address() as AddressInfo).port}/`;

async function open(gitUrl: string, ...calls: [string, object][]) {
  const source = { kind: "git" as const, gitUrl };
  test.model.answerWithTools(...calls);
  const order = test.order({ workspace: { source, environment: [] } });
  await test.server.submit(order);
  const end = await test.server.completed(order.turnId);
  return { order, end, events: JSON.stringify(test.server.events(order.turnId)) };
}

/** Every file below a folder that holds the text. */
async function holding(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const found = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return (await readFile(path)).includes(text) ? [path] : [];
    }),
  );
  return found.flat();
}

it.each([`ada:${token}`, token])("a clone keeps no %s", async (user) => {
  const { order, end, events } = await open(
    address(user),
    ["read_file", { path: "a.txt" }],
    ["read_file", { path: ".git/config" }],
    ["shell", { command: "git remote -v; env; cat .git/logs/HEAD" }],
  );
  expect(end).toMatchObject({ success: true });
  expect(asked.length).toBeGreaterThan(0);
  expect(events).toContain("private");
  expect(events).toContain("http://127.0.0.1");
  expect(events).not.toContain("tok-can");
  expect(await holding(test.workspace(order), "tok-can")).toEqual([]);
});

it("a clone that is refused does not say it either", async () => {
  const { end, events } = await open(address("ada:tok-canary/with?signs"));
  expect(end).toMatchObject({ success: false });
  expect(events + JSON.stringify(end)).not.toContain("tok-canary");
  const wrong = await open("ext::http://ada:tok-canary@example.com/x");
  expect(wrong.end).toMatchObject({ success: false });
  expect(wrong.events + JSON.stringify(wrong.end)).not.toContain("tok-canary");
});

it("a workspace of an earlier version is cleaned when it is opened", async () => {
  const gitUrl = address(`ada:${token}`);
  const { order } = await open(gitUrl);
  const config = join(test.workspace(order), ".git", "config");
  const clean = await readFile(config, "utf8");
  await writeFile(config, clean.replace("http://", `http://ada:${token}@`));
  expect(await readFile(config, "utf8")).toContain("tok-can");
  const source = { kind: "git" as const, gitUrl };
  test.model.answerWithTools(["read_file", { path: ".git/config" }]);
  const again = test.order({ projectId: order.projectId, workspace: { source, environment: [] } });
  await test.server.submit(again);
  await test.server.completed(again.turnId);
  expect(await readFile(config, "utf8")).toBe(clean);
  expect(JSON.stringify(test.server.events(again.turnId))).not.toContain("tok-can");
});
