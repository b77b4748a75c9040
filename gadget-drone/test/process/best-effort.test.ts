import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { becomes } from "@gadget/testing/becomes";
import { census } from "@gadget/testing/census";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../src/process/run-command.ts";
import type { SupervisorCapability } from "../../src/process/supervisor-capability.ts";
import {
  commandFolder,
  descendantKinds,
  hiddenDescendant,
  kindNames,
  kindsAndShells,
  readyCount,
  type Shell,
  shells,
  writeDescendants,
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

function run(command: string, signal: AbortSignal, shell: Shell = shells.sh) {
  return runCommand({ argv: [...shell, command], cwd: folder, env, signal }, bestEffort);
}

const whenReady = (at = folder) =>
  becomes(
    () => readyCount(at),
    (ready) => ready > 0,
    15_000,
  );
const survivors = () =>
  becomes(
    () => census(folder),
    (found) => found.length === 0,
    15_000,
  );

/** A command of each kind, each in a folder of its own; resolves when all of them run. */
async function startAll(from: DroneProcess, options: { silenceMs?: number } = {}) {
  const folders = await Promise.all(
    kindNames.map(async (kind) => {
      const cwd = await mkdtemp(join(folder, "kind-"));
      await chmod(cwd, 0o777);
      await writeDescendants(cwd);
      return { kind, cwd };
    }),
  );
  const running = folders.map(({ kind, cwd }) =>
    from.run({ id: kind, command: descendantKinds[kind], cwd, ...options }),
  );
  for (const { cwd } of folders) {
    await whenReady(cwd);
  }
  return { results: Promise.all(running) };
}

/** What a test left running, by its number. */
async function endAll(): Promise<void> {
  for (const found of await census(folder)) {
    process.kill(Number.parseInt(found, 10), "SIGKILL");
  }
}

describe("without a subreaper", () => {
  for (const [kind, name] of kindsAndShells) {
    const shell = shells[name];
    it(`A18 ${kind} of ${name}: aborted while it runs, and 0-30 ms after its start`, async () => {
      const controller = new AbortController();
      const running = run(descendantKinds[kind], controller.signal, shell);
      await whenReady();
      controller.abort();
      const result = await running;
      expect(await census(folder)).toEqual([]);
      expect(result).toMatchObject({ stoppedBy: "abort", left: 0, proven: false });
      expect(result.processesEnded).toBeGreaterThan(0);
      for (const delay of [0, 3, 8, 16, 30]) {
        const early = new AbortController();
        const begun = run(descendantKinds[kind], early.signal, shell);
        setTimeout(() => early.abort(), delay);
        expect(await begun).toMatchObject({ stoppedBy: "abort", left: 0 });
        expect(await census(folder)).toEqual([]);
      }
    });
  }

  it("A19 all kinds: the drone is killed with SIGKILL", async () => {
    drone = new DroneProcess({ bestEffort: true });
    await drone.ready();
    await startAll(drone);
    await drone.kill();
    expect(await survivors()).toEqual([]);
  });

  it("A34 all kinds: the drone is stopped past its grace, and says so when it is awake again", async () => {
    drone = new DroneProcess({ bestEffort: true });
    await drone.ready();
    const { results } = await startAll(drone, { silenceMs: 2_000 });
    drone.child.kill("SIGSTOP");
    expect(await survivors()).toEqual([]);
    drone.child.kill("SIGCONT");
    for (const result of await results) {
      expect(result).toMatchObject({ stoppedBy: "silence", left: 0 });
    }
  });

  it.skipIf(!isRoot)("A18 A19 all kinds, started by a user without privileges", async () => {
    drone = new DroneProcess({ asNobody: true, bestEffort: true });
    await drone.ready();
    const { results } = await startAll(drone);
    for (const kind of kindNames) {
      drone.abort(kind);
    }
    for (const result of await results) {
      expect(result).toMatchObject({ left: 0 });
    }
    expect(await census(folder)).toEqual([]);
    await startAll(drone);
    await drone.kill();
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
