import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { applyEvents, emptyTranscript, type TurnId, type WorkOrder } from "@gadget/api";
import { census } from "@gadget/testing/census";
import { eventually } from "@gadget/testing/eventually";
import { SlowGitServer } from "@gadget/testing/slow-git-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TestDrone } from "./support/test-drone.ts";

let test: TestDrone;
let repository: SlowGitServer;

beforeAll(async () => {
  [test, repository] = await Promise.all([TestDrone.start(), SlowGitServer.start()]);
});
afterAll(() => Promise.all([test.stop(), repository.stop()]));

function clone(fields: Partial<WorkOrder> = {}): WorkOrder {
  const gitUrl = repository.url.replace("//", "//ada:token-canary@");
  return test.order({ workspace: { source: { kind: "git", gitUrl }, environment: [] }, ...fields });
}

const told = (turnId: TurnId) => test.server.eventsOf(turnId, "notice");

async function toldTimes(turnId: TurnId, count: number) {
  await eventually(`${count} notices`, () => told(turnId).length >= count);
  return told(turnId);
}

/** What a page shows of the turn. */
function shown(turnId: TurnId) {
  const events = test.server.events(turnId);
  const start = { ...emptyTranscript(turnId), lastSeq: (events[0]?.seq ?? 1) - 1 };
  return applyEvents(start, events).transcript.parts.filter(({ kind }) => kind === "notice");
}

async function left(): Promise<string[]> {
  const folders = await readdir(join(test.folder, "workspaces")).catch(() => []);
  return [...(await census(join(test.folder, "workspaces"))), ...folders];
}

it("a slow clone shows how far it is; aborted in the middle it leaves nothing, and the next turn clones again", async () => {
  const { server } = test;
  repository.bytesPerSecond = 40_000;
  const first = clone();
  await server.submit(first);
  const [begun, further] = await toldTimes(first.turnId, 2);
  expect(begun).toMatchObject({ level: "info", code: "clone", phase: "start" });
  expect(further).toMatchObject({ phase: "delta" });
  expect(further?.text).toMatch(/^Cloning http.*big\.git: Receiving objects: +\d+%/);
  expect(await left()).not.toEqual([]);

  const asked = performance.now();
  await server.abort(first.turnId);
  expect(await server.completed(first.turnId)).toMatchObject({ success: true, message: "aborted" });
  expect(performance.now() - asked).toBeLessThan(5_000);
  expect(await left()).toEqual([]);
  expect(shown(first.turnId)).toMatchObject([
    { text: expect.stringMatching(/^Stopped cloning http/), open: false },
  ]);

  // As a drone that was killed in the middle would have left it.
  await mkdir(`${test.workspace(first)}.new/half`, { recursive: true });
  const second = clone({ projectId: first.projectId });
  await server.submit(second);
  await toldTimes(second.turnId, 2);
  repository.bytesPerSecond = Number.POSITIVE_INFINITY;
  expect(await server.completed(second.turnId)).toMatchObject({ success: true });
  const workspace = test.workspace(second);
  expect(await readFile(join(workspace, "src/hello.txt"), "utf8")).toBe("hello\n");
  expect(await left()).toEqual([second.projectId]);
  // However much was told on the way, one line of it stays.
  expect(shown(second.turnId)).toMatchObject([
    { text: expect.stringMatching(/^Cloned http.*big\.git \(\d+ s\)\.$/), open: false },
  ]);
  const everything = [first, second].flatMap(({ turnId }) => server.events(turnId));
  expect(JSON.stringify(everything)).not.toContain("token-canary");
});

it("a clone from a silent server is told of too, and an abort ends it", async () => {
  const { server } = test;
  repository.bytesPerSecond = 0;
  const order = clone();
  await server.submit(order);
  const [begun] = await toldTimes(order.turnId, 1);
  expect(begun?.text).toBe(`Cloning ${repository.url}`);
  await server.abort(order.turnId);
  expect(await server.completed(order.turnId)).toMatchObject({ message: "aborted" });
  expect((await left()).filter((name) => name.includes(order.projectId))).toEqual([]);
  repository.bytesPerSecond = Number.POSITIVE_INFINITY;
});

it("a quick clone and an open workspace are not worth a word, and a failure is one sentence", async () => {
  const { server } = test;
  const order = clone();
  await server.submit(order);
  expect(await server.completed(order.turnId)).toMatchObject({ success: true });
  const requests = repository.requests;
  const again = clone({ projectId: order.projectId });
  await server.submit(again);
  expect(await server.completed(again.turnId)).toMatchObject({ success: true });
  expect(repository.requests).toBe(requests);
  expect([...told(order.turnId), ...told(again.turnId)]).toEqual([]);

  const gitUrl = "http://ada:token-canary@127.0.0.1:1/none.git";
  const broken = test.order({ workspace: { source: { kind: "git", gitUrl }, environment: [] } });
  await server.submit(broken);
  const { success, message } = await server.completed(broken.turnId);
  expect(success).toBe(false);
  expect(message).toMatch(/could not be cloned: fatal: .*none\.git/);
  expect(message).not.toContain("token-canary");
});
