import { readdirSync, readFileSync, watch } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { brokenCover, type WorkOrder } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { type ModelCall, ScriptedModel } from "@gadget/testing/scripted-model";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DroneChild } from "./support/drone-child.ts";
import { TestServer } from "./support/test-server.ts";

let server: TestServer;
let model: ScriptedModel;
let folder: string;
let children: DroneChild[];

beforeEach(async () => {
  [server, model] = await Promise.all([TestServer.start(), ScriptedModel.start()]);
  folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-process-")));
  children = [];
});
afterEach(async () => {
  for (const child of children) {
    await child.end();
  }
  await Promise.all([server.stop(), model.stop()]);
  await rm(folder, { recursive: true, force: true });
});

function start(
  args: string[] = [],
  env: Record<string, string> = {},
  how: { ipc?: boolean; asNobody?: boolean } = {},
): DroneChild {
  const data = ["--data", join(folder, "data")];
  const child = new DroneChild([...data, ...args], { GADGET_LOG_LEVEL: "warn", ...env }, how);
  children.push(child);
  return child;
}

async function startEnrolled(): Promise<DroneChild> {
  const child = start(["--server", server.url, "--enroll", "good-code-123", "--name", "box"]);
  await server.greeted();
  return child;
}

function order(fields: Partial<WorkOrder> = {}): WorkOrder {
  const provider = { kind: "openai" as const, baseUrl: model.baseUrl, apiKey: "key" };
  return server.order({ provider, ...fields });
}

/** A turn whose command beats into a file, with everything that survives a plain kill. */
async function submitBeating(fields: Partial<WorkOrder> = {}) {
  const beat = "trap '' TERM; while :; do echo x >> beat; sleep 0.02; done";
  const command = `setsid sh -c "${beat}" & ( sh -c "${beat}" & ); ${beat.replace("echo x", "echo x; echo x")}`;
  model.answerWithTools(["shell", { command }]);
  const given = order(fields);
  expect(await server.submit(given)).toBe(true);
  const file = join(folder, "data", "workspaces", given.projectId, "beat");
  await eventually("the command runs", () => grows(file));
  return { turnId: given.turnId, file };
}

async function grows(file: string): Promise<boolean> {
  const size = async () => (await readFile(file).catch(() => "")).length;
  const before = await size();
  await delay(150);
  return (await size()) > before;
}

/** A stop reaches each thread by itself; what one is in the middle of comes to its end. */
function isStopped(pid: number | undefined): boolean {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.every((thread) =>
    /\) [TtZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")),
  );
}

describe("the command line", () => {
  it("enrols once, keeps the credential to itself, and needs no code later", async () => {
    const child = await startEnrolled();
    await eventually("it says so", () => child.output.includes('The drone "box" is online'));
    const path = join(folder, "data", "credential.json");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    child.process.kill("SIGTERM");
    expect(await child.exited).toEqual({ code: 0, signal: null });
    const again = start();
    await server.greeted(2);
    expect(server.hellos[1]?.instanceId).not.toBe(server.hellos[0]?.instanceId);
    expect(again.output).not.toContain("test-credential");
  });

  it.each([
    [["--server", "http://192.0.2.1", "--enroll", "x"], /plain http/],
    [["--capacity", "none"], /--capacity is a number/],
    [[], /--server/],
    [["--nonsense"], /--help/],
    [["--server", "http://127.0.0.1:1", "--enroll", "good-code-123"], /check --server/],
  ])("says in one sentence what is wrong with %j", async (args, sentence) => {
    const child = start(args);
    expect(await child.exited).toEqual({ code: 1, signal: null });
    expect(child.output).toMatch(sentence);
    expect(child.output.trim().split("\n")).toHaveLength(1);
  });

  it("says why a code or a credential is refused", async () => {
    const child = start(["--server", server.url, "--enroll", "a-used-code"]);
    expect(await child.exited).toMatchObject({ code: 1 });
    expect(child.output).toBe(
      "The server did not enrol this drone: This code is not valid any more.\n",
    );
    const enrolled = await startEnrolled();
    server.refusesCredential = true;
    server.cut();
    expect(await enrolled.exited).toMatchObject({ code: 1 });
    expect(enrolled.output).toMatch(/The server refuses this drone: This drone was revoked/);
  });

  it("waits for the file that holds its code", async () => {
    const file = join(folder, "code");
    start(["--server", server.url, "--enroll-file", file]);
    await delay(300);
    expect(server.hellos).toEqual([]);
    await writeFile(file, "good-code-123\n");
    expect(await server.greeted()).toMatchObject({ running: [] });
  });
});

describe("the end of a drone", () => {
  it("A19 when it is killed with SIGKILL its commands die, and the next one brings its tail", async () => {
    const child = await startEnrolled();
    const { turnId, file } = await submitBeating();
    server.stores = false;
    await delay(300);
    child.process.kill("SIGKILL");
    await child.exited;
    await eventually("the command dies", async () => !(await grows(file)));
    server.stores = true;
    const stored = server.events(turnId).at(-1)?.seq ?? 0;
    start();
    const hello = await server.greeted(2);
    expect(hello.running).toEqual([]);
    expect(hello.tails).toMatchObject([{ turnId, epoch: 1 }]);
    const lastSeq = hello.tails?.[0]?.lastSeq ?? 0;
    expect(lastSeq).toBeGreaterThan(stored);
    await eventually("the tail", () => server.events(turnId).at(-1)?.seq === lastSeq);
    expect(brokenCover(server.events(turnId), 1)).toBeUndefined();
    expect(server.turns.get(turnId)?.completions).toEqual([]);
  });

  it("A21 killed at any moment of a large edit, it leaves the old file or the new one", async () => {
    const [before, after] = ["old ".repeat(1_000_000), "new ".repeat(2_000_000)];
    const seen = new Set<string>();
    let greetings = 0;
    for (const ms of [0, 5, 15, 30, 60, 500]) {
      const child = greetings === 0 ? await startEnrolled() : start();
      greetings += 1;
      await server.greeted(greetings);
      model.answerWithTools(["write_file", { path: "big", content: after }]);
      const given = order();
      const file = join(folder, "data", "workspaces", given.projectId, "big");
      await mkdir(join(file, ".."), { recursive: true });
      await writeFile(file, before);
      await server.submit(given);
      await eventually("the call", () => server.eventsOf(given.turnId, "tool:start")[0]);
      await delay(ms);
      child.process.kill("SIGKILL");
      await child.exited;
      const left = await readFile(file, "utf8");
      expect([before, after].includes(left)).toBe(true);
      seen.add(left);
    }
    expect(seen.has(before)).toBe(true);
  });

  it("A21 killed in the middle of a write, it leaves a file that the next one removes", async () => {
    const line = (letter: string) => `${letter}${"-".repeat(999)}\n`;
    const edits = Array.from({ length: 20 }, (_, index): [string, object] => {
      const [oldText, newText] = index % 2 === 0 ? ["x", "y"] : ["y", "x"];
      return ["edit_file", { path: "big", oldText, newText, replaceAll: true }];
    });
    const child = await startEnrolled();
    const given = order();
    const workspace = join(folder, "data", "workspaces", given.projectId);
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, "big"), line("x").repeat(9_000));
    // Stopped in the moment in which the file aside appears; too late, and it may go on to the next.
    const asides = () => readdirSync(workspace).filter((name) => name !== "big");
    const watcher = watch(workspace, () => {
      if (asides().length === 0) {
        return;
      }
      child.process.kill("SIGSTOP");
      while (!isStopped(child.process.pid)) {}
      if (asides().length === 0) {
        return void child.process.kill("SIGCONT");
      }
      watcher.close();
      child.process.kill("SIGKILL");
    });
    model.answerWithTools(...edits);
    await server.submit(given);
    expect(await child.exited).toEqual({ code: null, signal: "SIGKILL" });
    expect(asides()).toEqual([expect.stringMatching(/^\.gadget-write-[0-9a-f]{12}$/)]);
    const left = await readFile(join(workspace, "big"), "utf8");
    expect([line("x").repeat(9_000), line("y").repeat(9_000)].includes(left)).toBe(true);

    start();
    await server.greeted(2);
    expect(asides()).toEqual([]);
    expect(await readFile(join(workspace, "big"), "utf8")).toBe(left);
    const { turnId, workspace: place } = given;
    const { files } = await server.ask("turnDiff", [{ turnId, source: place.source }]);
    expect(files.every(({ file }) => file.path === "big")).toBe(true);
    expect(readdirSync(join(folder, "data", "writes"))).toEqual([]);
  });

  it("A34 stopped past its grace its commands die, and awake again it writes nothing", async () => {
    server.heartbeatMs = 200;
    const child = await startEnrolled();
    const { turnId, file } = await submitBeating({ graceMs: 1_500 });
    child.process.kill("SIGSTOP");
    await eventually("the command dies", async () => !(await grows(file)), 8_000);
    const [stored, beats] = [server.events(turnId).length, server.heartbeats];
    expect(stored).toBeGreaterThan(0);
    child.process.kill("SIGCONT");
    await eventually("it is back", () => server.heartbeats > beats + 1);
    expect(server.events(turnId)).toHaveLength(stored);
    expect(server.turns.get(turnId)?.completions).toEqual([]);
  });

  it("SIGTERM drains: what runs comes to its end, then the process does", async () => {
    const child = await startEnrolled();
    let call: ModelCall | undefined;
    model.answer((asked) => {
      call = asked;
      asked.text("Almost ");
    });
    const given = order();
    await server.submit(given);
    const asked = await eventually("the model is asked", () => call);
    child.process.kill("SIGTERM");
    await eventually("it says so", () => child.output.includes("Waiting for 1 running turns"));
    expect(await server.submit(order())).toBe(false);
    asked.text("done.");
    asked.end();
    expect(await server.completed(given.turnId)).toMatchObject({ success: true });
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(server.text(given.turnId)).toBe("Almost done.");
  });

  it("SIGINT twice ends everything at once", async () => {
    const child = await startEnrolled();
    const { file } = await submitBeating();
    child.process.kill("SIGINT");
    await eventually("it waits", () => child.output.includes("press Ctrl-C again"));
    child.process.kill("SIGINT");
    expect(await child.exited).toEqual({ code: 130, signal: null });
    expect(await grows(file)).toBe(false);
  });
});

describe("under the launcher", () => {
  const env = { GADGET_LAUNCHER: "1" };

  it("asks for its enrolment, says that it is online, and stops at once when it is told to", async () => {
    const child = start([], env, { ipc: true });
    await child.said("need-enrollment");
    child.send({ type: "enroll", server: server.url, code: "good-code-123" });
    await child.said("online");
    const { turnId, file } = await submitBeating();
    const begun = performance.now();
    child.send({ type: "stop" });
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(await grows(file)).toBe(false);
    expect(server.turns.get(turnId)?.completions).toEqual([]);

    const again = start([], env, { ipc: true });
    again.send({ type: "server", url: server.url });
    await again.said("online");
    expect(again.messages.map(({ type }) => type)).not.toContain("need-enrollment");
  });

  it("ends with its launcher, and its commands with it", async () => {
    const child = start([], env, { ipc: true });
    await child.said("need-enrollment");
    child.send({ type: "enroll", server: server.url, code: "good-code-123" });
    await child.said("online");
    const { file } = await submitBeating();
    child.process.disconnect();
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(await grows(file)).toBe(false);
  });

  it("asks again after a code that did not work, and is not started again with a bad setting", async () => {
    const child = start([], env, { ipc: true });
    await child.said("need-enrollment");
    child.messages.length = 0;
    child.send({ type: "enroll", server: server.url, code: "a-used-code" });
    await child.said("need-enrollment");
    child.send({ type: "enroll", server: server.url, code: "good-code-123" });
    await child.said("online");
    const second = start([], env, { ipc: true });
    expect(await second.exited).toEqual({ code: 78, signal: null });
    expect(second.output).toMatch(/is running already/);
  });

  it("asks for a new enrolment when its credential was revoked", async () => {
    const child = start([], env, { ipc: true });
    await child.said("need-enrollment");
    child.send({ type: "enroll", server: server.url, code: "good-code-123" });
    await child.said("online");
    child.messages.length = 0;
    server.refusesCredential = true;
    server.cut();
    expect(await child.said("need-enrollment")).toEqual({ type: "need-enrollment" });
  });
});
