import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@gadget/testing/eventually";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findProgram } from "../src/process/find-program.ts";
import { barePath } from "./support/bare-path.ts";
import { found, searched, searches } from "./support/searches.ts";
import { TestDrone } from "./support/test-drone.ts";

let programs: string;
let test: TestDrone | undefined;
const path = process.env["PATH"];

beforeEach(async () => {
  programs = await mkdtemp(join(tmpdir(), "gadget-programs-"));
});
afterEach(async () => {
  await test?.stop();
  test = undefined;
  process.env["PATH"] = path;
  await rm(programs, { recursive: true, force: true });
});

/** A drone on a machine with all programs of this one but the named. */
async function startWithout(...names: string[]): Promise<TestDrone> {
  process.env["PATH"] = await barePath(programs, ...names);
  test = await TestDrone.start();
  return test;
}

async function folder(drone: TestDrone, files: Record<string, string>) {
  const directory = join(drone.folder, "project");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(directory, name, ".."), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  const source = { kind: "directory" as const, directory };
  return { directory, source, workspace: { source, environment: [] } };
}

it("without ripgrep a search finds the same, and an expression can't hang the drone", async () => {
  const drone = await startWithout("rg");
  const { server, model } = drone;
  expect((await server.greeted()).abilities.ripgrep).toBe(false);
  const { workspace } = await folder(drone, { ...searched, slow: `${"a".repeat(50_000)}!\n` });
  model.answerWithTools(...searches);
  const order = drone.order({ workspace });
  await server.submit(order);
  await server.completed(order.turnId);
  const ends = server.eventsOf(order.turnId, "tool:end");
  const starts = server.eventsOf(order.turnId, "tool:start");
  const texts = starts.map(({ callId }) => ends.find((end) => end.callId === callId)?.text);
  expect(texts).toEqual(found);

  model.answerWithTools(["grep", { pattern: "(a+)+$", path: "slow" }]);
  const stuck = drone.order({ workspace });
  await server.submit(stuck);
  await eventually("the search", () => server.eventsOf(stuck.turnId, "tool:input").at(-1)?.input);
  // Others are served meanwhile: it is not the drone's own thread that is busy.
  expect((await server.ask("listFolders", [{}])).entries).not.toEqual([]);
  await server.abort(stuck.turnId);
  expect(await server.completed(stuck.turnId, 3_000)).toMatchObject({ message: "aborted" });
  expect(server.eventsOf(stuck.turnId, "tool:end")).toMatchObject([{ outcome: "cancelled" }]);
});

it("with ripgrep the same expression ends by itself", async ({ skip }) => {
  const ripgrep = await findProgram("rg", path ?? "");
  if (ripgrep === undefined) {
    return skip("ripgrep is not installed on this machine");
  }
  test = await TestDrone.start();
  const drone = test;
  const { server, model } = drone;
  expect((await server.greeted()).abilities.ripgrep).toBe(true);
  const { workspace } = await folder(drone, { slow: `${"a".repeat(50_000)}!\n` });
  model.answerWithTools(["grep", { pattern: "(a+)+$", path: "slow" }]);
  const order = drone.order({ workspace });
  await server.submit(order);
  await server.completed(order.turnId);
  expect(server.eventsOf(order.turnId, "tool:end")).toMatchObject([{ text: "Nothing matches." }]);
});

it("A31 without git only tools' edits can be undone, and a notice says so", async () => {
  const drone = await startWithout("git");
  const { server, model } = drone;
  expect((await server.greeted()).abilities.git).toBe(false);
  const { directory, source, workspace } = await folder(drone, { tool: "1\n", shell: "1\n" });
  model.answerWithTools(
    ["write_file", { path: "tool", content: "2\n" }],
    ["shell", { command: "echo 2 > shell" }],
  );
  const order = drone.order({ workspace });
  const { turnId } = order;
  await server.submit(order);
  await server.completed(turnId);
  expect(server.eventsOf(turnId, "notice")).toMatchObject([
    { code: "snapshot", text: expect.stringContaining("no git") },
  ]);
  expect(await server.ask("turnDiff", [{ turnId, source }])).toMatchObject({
    coverage: "edits",
    files: [{ file: { path: "tool" } }],
  });
  await server.ask("undoTurn", [{ turnId, source, preview: false }]);
  expect(await readFile(join(directory, "tool"), "utf8")).toBe("1\n");
  expect(await readFile(join(directory, "shell"), "utf8")).toBe("2\n");
  const gitUrl = "https://example.invalid/x.git";
  const clone = drone.order({ workspace: { source: { kind: "git", gitUrl }, environment: [] } });
  await server.submit(clone);
  expect((await server.completed(clone.turnId)).message).toMatch(/git/);
});

/** Git as it is, but one of its commands takes its time. */
async function slowGit(drone: TestDrone, command: string, seconds: number): Promise<void> {
  const git = execFileSync("sh", ["-c", "command -v git"], { env: { PATH: path } });
  const wait = `case " $* " in *" ${command} "*) sleep ${seconds};; esac`;
  const text = `#!/bin/sh\n${wait}\nexec ${git.toString().trim()} "$@"\n`;
  await rm(join(programs, "git"), { force: true });
  await writeFile(join(programs, "git"), text, { mode: 0o755 });
  expect(drone.folder).not.toBe("");
}

it("a long snapshot shows its progress, and an abort does not wait for it", async () => {
  const drone = await startWithout();
  const { server, model } = drone;
  await slowGit(drone, "add", 60);
  model.answerWithTools(["write_file", { path: "late", content: "x" }]);
  const order = drone.order();
  await server.submit(order);
  expect(await server.event(order.turnId, "notice")).toMatchObject({
    level: "info",
    code: "snapshot",
  });
  const begun = performance.now();
  await server.abort(order.turnId);
  expect(await server.completed(order.turnId)).toMatchObject({ message: "aborted" });
  expect(performance.now() - begun).toBeLessThan(2_500);
  expect(await readdir(drone.workspace(order))).toEqual([]);
});

it("a snapshot that takes more than 10 s is given up, and a notice says what is covered", async () => {
  const drone = await startWithout();
  const { server, model } = drone;
  await slowGit(drone, "add", 60);
  model.answerWithTools(["write_file", { path: "made", content: "x" }]);
  const order = drone.order();
  await server.submit(order);
  expect(await server.completed(order.turnId, 25_000)).toMatchObject({ success: true });
  const notices = server.eventsOf(order.turnId, "notice").map(({ text }) => text);
  expect(notices.at(-1)).toMatch(/too large for a snapshot: only files that tools edit/);
  expect(await readdir(drone.workspace(order))).toEqual(["made"]);
});

it("A14 an abort while the changes are looked up after the last word does not wait for them", async () => {
  const drone = await startWithout();
  const { server, model } = drone;
  let goOn = () => {};
  const isSlow = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  model.answer(async (call) => {
    if (call.request.messages.some(({ role }) => role === "tool")) {
      await isSlow;
      call.text("Done.");
    } else {
      call.tool("shell", { command: "echo changed > a" });
    }
    call.end();
  });
  const order = drone.order();
  const { turnId } = order;
  await server.submit(order);
  await server.event(turnId, "tool:end");
  await slowGit(drone, "add", 60);
  goOn();
  await server.event(turnId, "text:end");
  const begun = performance.now();
  await server.abort(turnId);
  expect(await server.completed(turnId)).toMatchObject({ success: true, message: "aborted" });
  expect(performance.now() - begun).toBeLessThan(4_000);
  const notices = server.eventsOf(turnId, "notice").map(({ text }) => text);
  expect(notices).not.toContain("Something of this turn does not stop.");
});
