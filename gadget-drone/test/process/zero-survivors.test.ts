import { rm } from "node:fs/promises";
import { becomes } from "@gadget/testing/becomes";
import { census } from "@gadget/testing/census";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../src/process/run-command.ts";
import { supervisorCapability } from "../../src/process/supervisor-capability.ts";
import {
  commandFolder,
  type DescendantKind,
  descendantKinds,
  kindNames,
  kindsAndShells,
  readyCount,
  type Shell,
  shells,
} from "./descendants.ts";
import { DroneProcess } from "./drone-process.ts";

const delays = [0, 1, 2, 3, 5, 8, 12, 16, 20, 25, 30];
const env = { PATH: process.env["PATH"] ?? "" };
const capability = await supervisorCapability();
const isRoot = process.getuid?.() === 0;

let folder: string;
let drone: DroneProcess | undefined;

beforeEach(async () => {
  folder = await commandFolder();
});

afterEach(async () => {
  await drone?.kill();
  drone = undefined;
  await rm(folder, { recursive: true, force: true });
});

const options = (kind: DescendantKind, shell: Shell, signal: AbortSignal) => ({
  argv: [...shell, descendantKinds[kind]] as const,
  cwd: folder,
  env,
  signal,
});
const whenReady = () =>
  becomes(
    () => readyCount(folder),
    (count) => count > 0,
    5000,
  );

async function survivors(withinMs: number): Promise<string[]> {
  const deadline = performance.now() + withinMs;
  let found = await census(folder);
  while (found.length > 0 && performance.now() < deadline) {
    found = await census(folder);
  }
  return found;
}

describe.skipIf(capability.supervisor !== "subreaper")("zero survivors", () => {
  for (const [kind, name] of kindsAndShells) {
    const shell = shells[name];
    it(`A18 ${kind} of ${name}: aborted while it runs`, async () => {
      const controller = new AbortController();
      const running = runCommand(options(kind, shell, controller.signal));
      await whenReady();
      expect(await census(folder)).not.toEqual([]);
      controller.abort();
      const result = await running;
      expect(await census(folder)).toEqual([]);
      expect(result).toMatchObject({ stoppedBy: "abort", left: 0 });
      expect(result.processesEnded).toBeGreaterThan(0);
    });

    it(`A18 ${kind} of ${name}: aborted 0-30 ms after its start`, async () => {
      for (const delay of delays) {
        const controller = new AbortController();
        const running = runCommand(options(kind, shell, controller.signal));
        setTimeout(() => controller.abort(), delay);
        expect(await running).toMatchObject({ stoppedBy: "abort", left: 0 });
        expect(await census(folder)).toEqual([]);
      }
    });

    it(`A19 ${kind} of ${name}: the drone is killed with SIGKILL`, async () => {
      drone = new DroneProcess();
      await drone.ready();
      void drone.run({ id: "one", command: descendantKinds[kind], shell, cwd: folder });
      await whenReady();
      await drone.kill();
      expect(await survivors(2000)).toEqual([]);
    });

    it(`A18 A34 ${kind} of ${name}: the drone is stopped past its grace`, async () => {
      drone = new DroneProcess();
      await drone.ready();
      const running = drone.run({
        id: "one",
        command: descendantKinds[kind],
        shell,
        cwd: folder,
        silenceMs: 300,
      });
      await whenReady();
      drone.child.kill("SIGSTOP");
      expect(await survivors(3000)).toEqual([]);
      drone.child.kill("SIGCONT");
      expect(await running).toMatchObject({ stoppedBy: "silence", left: 0 });
    });
  }

  it("A19 the drone is killed 0-30 ms after it started a command of each kind", async () => {
    for (const delay of [0, 5, 12, 20, 30]) {
      drone = new DroneProcess();
      await drone.ready();
      for (const kind of kindNames) {
        void drone.run({ id: kind, command: descendantKinds[kind], cwd: folder });
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
      await drone.kill();
      expect(await survivors(3000)).toEqual([]);
    }
  });

  it.skipIf(!isRoot)("A18 A19 all kinds, started by a user without privileges", async () => {
    drone = new DroneProcess({ asNobody: true });
    await drone.ready();
    for (const kind of kindNames) {
      const command = descendantKinds[kind];
      const running = drone.run({ id: kind, command, cwd: folder });
      await whenReady();
      drone.abort(kind);
      expect(await running).toMatchObject({ stoppedBy: "abort", left: 0 });
      expect(await census(folder)).toEqual([]);
      for (const abortAfterMs of [0, 7, 15, 30]) {
        const early = await drone.run({ id: `${kind} early`, command, cwd: folder, abortAfterMs });
        expect(early).toMatchObject({ stoppedBy: "abort", left: 0 });
        expect(await census(folder)).toEqual([]);
      }
      await rm(`${folder}/pids`, { force: true });
    }
    for (const kind of kindNames) {
      void drone.run({ id: kind, command: descendantKinds[kind], cwd: folder });
    }
    await becomes(
      () => readyCount(folder),
      (count) => count >= kindNames.length,
      5000,
    );
    await drone.kill();
    expect(await survivors(2000)).toEqual([]);
  });
});
