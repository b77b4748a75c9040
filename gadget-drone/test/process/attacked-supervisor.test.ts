import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { supervisorCapability } from "../../src/process/supervisor-capability.ts";
import { census } from "./census.ts";
import { commandFolder, eventually } from "./descendants.ts";
import { DroneProcess } from "./drone-process.ts";
import { beside, forgery, writeWeapons } from "./weapons.ts";

const { supervisor } = await supervisorCapability();
const canPlay = supervisor === "subreaper" && process.arch === "x64" && process.getuid?.() === 0;

let folder: string;
let drone: DroneProcess | undefined;

beforeEach(async () => {
  folder = await commandFolder();
  await writeWeapons(folder);
});

afterEach(async () => {
  await drone?.kill();
  drone = undefined;
  for (const found of await census(folder)) {
    process.kill(Number.parseInt(found, 10), "SIGKILL");
  }
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(!canPlay)("a supervisor and its command, of one user", () => {
  it.each(["hold.pl", "forge.pl"])("A18 the kernel refuses %s", async (program) => {
    drone = new DroneProcess({ asNobody: true });
    await drone.ready();
    const command = `perl ${program} $PPID; echo $? > refused`;
    expect(await drone.run({ id: "it", command, cwd: folder })).toMatchObject({
      exitCode: 0,
      left: 0,
    });
    expect(await readFile(join(folder, "refused"), "utf8")).toBe("1\n");
    expect(existsSync(join(folder, "armed"))).toBe(false);
  });
});

describe.skipIf(!canPlay || !canMount())("where control groups can be made", () => {
  it("A18 nothing survives a command that forged its report and killed its supervisor", async () => {
    const controlGroups = join(folder, "groups");
    await mkdir(controlGroups);
    drone = new DroneProcess({ controlGroups });
    await drone.ready();
    const command = beside(forgery);
    const running = drone.run({ id: "it", command, cwd: folder });
    await eventually(async () => existsSync(join(folder, "armed")), Boolean, 10_000);
    drone.abort("it");
    const result = await running;
    expect(await census(folder)).toEqual([]);
    expect(result).toMatchObject({ stoppedBy: "abort", left: 0, supervisorLost: true });
    expect(result.processesEnded).toBeGreaterThan(1);
  });
});

function canMount(): boolean {
  try {
    const mount = "mount -t cgroup2 none /mnt && mkdir /mnt/gadget-try && rmdir /mnt/gadget-try";
    execFileSync("unshare", ["--mount", "/bin/sh", "-c", mount], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
