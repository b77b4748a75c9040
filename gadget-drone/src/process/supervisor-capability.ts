import { randomUUID } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { LaunchEnd } from "./command.ts";
import { ownControlGroup } from "./control-group.ts";
import { launchSupervised, type Subreaper } from "./launch-supervised.ts";

/** How commands are supervised on this machine; the drone reports it as it is. */
export type SupervisorCapability =
  | { supervisor: "subreaper"; subreaper: Subreaper }
  | { supervisor: "best-effort"; reason: string };

export interface Machine {
  platform: string;
  arch: string;
  /** PATH, searched for perl after the usual folders. */
  path: string;
}

const generic: Subreaper["syscalls"] = { prctl: 167, rtSigprocmask: 135, signalfd4: 74 };
const syscallsByArch = new Map<string, Subreaper["syscalls"]>([
  ["x64", { prctl: 157, rtSigprocmask: 14, signalfd4: 289 }],
  ["arm64", generic],
  ["riscv64", generic],
  ["loong64", generic],
  ["arm", { prctl: 172, rtSigprocmask: 175, signalfd4: 355 }],
]);

let detected: Promise<SupervisorCapability> | undefined;

/**
 * Asked once per process: neither perl nor the kernel changes under a running drone. Who asks first
 * may say that it shall do without a subreaper.
 */
export function supervisorCapability(
  wanted: "auto" | "best-effort" = "auto",
): Promise<SupervisorCapability> {
  detected ??=
    wanted === "best-effort"
      ? Promise.resolve(bestEffort("GADGET_SUPERVISOR says so"))
      : detectSupervisor({
          platform: process.platform,
          arch: process.arch,
          path: process.env["PATH"] ?? "",
        });
  return detected;
}

/** Runs a real supervisor: only what was seen to work on this machine is claimed. */
export async function detectSupervisor(
  machine: Machine,
  perl: string | undefined = findPerl(machine.path),
): Promise<SupervisorCapability> {
  const syscalls = syscallsByArch.get(machine.arch);
  if (machine.platform !== "linux") {
    return bestEffort(`${machine.platform} has no subreaper`);
  }
  if (!syscalls) {
    return bestEffort(`the system calls of ${machine.arch} are not known`);
  }
  if (!perl) {
    return bestEffort("perl is not installed");
  }
  const bare: Subreaper = { perl, syscalls };
  const grouped = { ...bare, controlGroups: ownControlGroup() };
  if (grouped.controlGroups !== undefined) {
    const { exitCode } = await probe(grouped, "grep -q '^0::.*/gadget-probe-' /proc/self/cgroup");
    if (exitCode === 0) {
      return { supervisor: "subreaper", subreaper: grouped };
    }
  }
  const { exitCode, startError } = await probe(bare, "exit 7");
  if (exitCode === 7) {
    return { supervisor: "subreaper", subreaper: bare };
  }
  return bestEffort(`the supervisor could not run: ${startError ?? "it ended without a report"}`);
}

function probe(subreaper: Subreaper, command: string): Promise<LaunchEnd> {
  return launchSupervised(subreaper, {
    argv: ["/bin/sh", "-c", command],
    cwd: "/",
    env: {},
    cookie: `probe-${randomUUID()}`,
    termGraceMs: 100,
    silenceMs: 5000,
  }).ended;
}

function bestEffort(reason: string): SupervisorCapability {
  return { supervisor: "best-effort", reason };
}

function findPerl(path: string): string | undefined {
  return ["/usr/bin", "/usr/local/bin", ...path.split(delimiter)]
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, "perl"))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
