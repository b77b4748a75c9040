import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { becomes } from "@gadget/testing/becomes";
import { census } from "@gadget/testing/census";
import { afterEach, beforeEach, expect, it } from "vitest";
import { supervisorCapability } from "../../src/process/supervisor-capability.ts";
import { commandFolder } from "./descendants.ts";
import { DroneProcess } from "./drone-process.ts";
import { beside, forgery, writeWeapons } from "./weapons.ts";

const { supervisor } = await supervisorCapability();
const isRoot = process.getuid?.() === 0;

/** Why these attacks can't be tried here, where they can't. */
function whyNot(): string | undefined {
  if (supervisor !== "subreaper") {
    return "this machine has no subreaper";
  }
  return process.arch === "x64" ? undefined : "the weapons know the system calls of x64 only";
}

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

it.for(["hold.pl", "forge.pl"])(
  "A18 the kernel refuses %s to a command of the supervisor's own user",
  async (program, { skip }) => {
    const reason = whyNot();
    if (reason !== undefined) {
      return skip(reason);
    }
    drone = new DroneProcess({ asNobody: isRoot });
    await drone.ready();
    const command = `perl ${program} $PPID; echo $? > refused`;
    expect(await drone.run({ id: "it", command, cwd: folder })).toMatchObject({
      exitCode: 0,
      left: 0,
    });
    expect(await readFile(join(folder, "refused"), "utf8")).toBe("1\n");
    expect(existsSync(join(folder, "armed"))).toBe(false);
  },
);

it("A18 with control groups nothing survives a command that forged its report and killed its supervisor", async ({
  skip,
}) => {
  const reason = whyNot() ?? (canMount() ? undefined : "control groups can't be made here");
  if (reason !== undefined) {
    return skip(reason);
  }
  const controlGroups = join(folder, "groups");
  await mkdir(controlGroups);
  drone = new DroneProcess({ controlGroups });
  await drone.ready();
  const command = beside(forgery);
  const running = drone.run({ id: "it", command, cwd: folder });
  await becomes(async () => existsSync(join(folder, "armed")), Boolean, 10_000);
  drone.abort("it");
  const result = await running;
  expect(await census(folder)).toEqual([]);
  expect(result).toMatchObject({ stoppedBy: "abort", left: 0, supervisorLost: true });
  expect(result.processesEnded).toBeGreaterThan(1);
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
