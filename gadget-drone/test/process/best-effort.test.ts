import { rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../src/process/run-command.ts";
import type { SupervisorCapability } from "../../src/process/supervisor-capability.ts";
import { census } from "./census.ts";
import {
  commandFolder,
  descendantKinds,
  eventually,
  hiddenDescendant,
  kindNames,
  readyCount,
} from "./descendants.ts";
import { DroneProcess } from "./drone-process.ts";

const bestEffort: SupervisorCapability = { supervisor: "best-effort", reason: "for the test" };
const env = { PATH: process.env["PATH"] ?? "" };
const isRoot = process.getuid?.() === 0;

let folder: string;
let drone: DroneProcess | undefined;

beforeEach(async () => {
  folder = await commandFolder();
});
afterEach(async () => {
  await drone?.kill();
  drone = undefined;
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

function run(command: string, signal: AbortSignal) {
  return runCommand({ argv: ["/bin/sh", "-c", command], cwd: folder, env, signal }, bestEffort);
}

const whenReady = (count = 1) =>
  eventually(
    () => readyCount(folder),
    (ready) => ready >= count,
    15_000,
  );
const survivors = () =>
  eventually(
    () => census(folder),
    (found) => found.length === 0,
    15_000,
  );

/** What a test left running, by its number. */
async function endAll(): Promise<void> {
  for (const found of await census(folder)) process.kill(Number.parseInt(found, 10), "SIGKILL");
}

describe("without a subreaper", () => {
  for (const kind of kindNames) {
    it(`A18 ${kind}: aborted while it runs, and 0-30 ms after its start`, async () => {
      const controller = new AbortController();
      const running = run(descendantKinds[kind], controller.signal);
      await whenReady();
      controller.abort();
      const result = await running;
      expect(await census(folder)).toEqual([]);
      expect(result).toMatchObject({ stoppedBy: "abort", left: 0, proven: false });
      expect(result.processesEnded).toBeGreaterThan(0);
      for (const delay of [0, 3, 8, 16, 30]) {
        const early = new AbortController();
        const begun = run(descendantKinds[kind], early.signal);
        setTimeout(() => early.abort(), delay);
        expect(await begun).toMatchObject({ stoppedBy: "abort", left: 0 });
        expect(await census(folder)).toEqual([]);
      }
    });
  }

  it("A19 all kinds: the drone is killed with SIGKILL", async () => {
    drone = new DroneProcess({ bestEffort: true });
    await drone.ready();
    for (const kind of kindNames) {
      void drone.run({ id: kind, command: descendantKinds[kind], cwd: folder });
    }
    await whenReady(kindNames.length);
    await drone.kill();
    expect(await survivors()).toEqual([]);
  });

  it("A34 all kinds: the drone is stopped past its grace, and says so when it is awake again", async () => {
    const stopped = new DroneProcess({ bestEffort: true });
    drone = stopped;
    await drone.ready();
    const running = kindNames.map((kind) =>
      stopped.run({ id: kind, command: descendantKinds[kind], cwd: folder, silenceMs: 2_000 }),
    );
    await whenReady(kindNames.length);
    drone.child.kill("SIGSTOP");
    expect(await survivors()).toEqual([]);
    drone.child.kill("SIGCONT");
    for (const result of await Promise.all(running)) {
      expect(result).toMatchObject({ stoppedBy: "silence", left: 0 });
    }
  });

  it.skipIf(!isRoot)("A18 A19 all kinds, started by a user without privileges", async () => {
    const nobody = new DroneProcess({ asNobody: true, bestEffort: true });
    drone = nobody;
    await drone.ready();
    const start = async () => {
      const running = kindNames.map((kind) =>
        nobody.run({ id: kind, command: descendantKinds[kind], cwd: folder }),
      );
      await whenReady(kindNames.length);
      return running;
    };
    const running = await start();
    for (const kind of kindNames) nobody.abort(kind);
    for (const result of await Promise.all(running)) expect(result).toMatchObject({ left: 0 });
    expect(await census(folder)).toEqual([]);
    await rm(`${folder}/pids`);
    void (await start());
    await nobody.kill();
    expect(await survivors()).toEqual([]);
  });

  it("A18 one that hid every sign is not found, and the result does not claim that nothing is left", async () => {
    const controller = new AbortController();
    const running = run(hiddenDescendant, controller.signal);
    await whenReady();
    controller.abort();
    expect(await running).toMatchObject({ stoppedBy: "abort", proven: false });
    expect(await census(folder)).not.toEqual([]);
  });
});
