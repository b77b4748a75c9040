import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const emptyWithinMs = 1000;

/**
 * A control group of Linux (version 2) for one command. The kernel ends all that is in it at once,
 * whoever the parents are: it reaches what a killed supervisor can't end any more.
 */
export class ControlGroup {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined where none can be made; the supervisor does without. */
  static make(parent: string | undefined, name: string): ControlGroup | undefined {
    if (parent === undefined) {
      return undefined;
    }
    const folder = join(parent, `gadget-${name}`);
    try {
      mkdirSync(folder);
      if (existsSync(join(folder, "cgroup.kill"))) {
        return new ControlGroup(folder);
      }
      rmdirSync(folder);
    } catch {
      // Not ours to make: /sys may be read-only, or somebody else's.
    }
    return undefined;
  }

  /** Ends what is in it; resolves with how many processes that were. */
  async end(): Promise<number> {
    const before = this.#processes().length;
    try {
      writeFileSync(join(this.folder, "cgroup.kill"), "1");
    } catch {
      return 0;
    }
    const deadline = performance.now() + emptyWithinMs;
    while (this.#processes().length > 0 && performance.now() < deadline) {
      await delay(2);
    }
    return before - this.#processes().length;
  }

  remove(): void {
    try {
      rmdirSync(this.folder);
    } catch {
      // The supervisor has removed it, or something that can't be ended is still in it.
    }
  }

  #processes(): string[] {
    try {
      return readFileSync(join(this.folder, "cgroup.procs"), "utf8").split("\n").filter(Boolean);
    } catch {
      return [];
    }
  }
}

/**
 * Where this process may make control groups below its own: the mounted hierarchy of version 2 and
 * the process's own place in it. Whether it may is seen when one is made.
 */
export function ownControlGroup(
  read: (path: string) => string = (path) => readFileSync(path, "utf8"),
): string | undefined {
  try {
    const own = /^0::(\/.*)$/m.exec(read("/proc/self/cgroup"))?.[1];
    // Fields: id, parent, device, root, mount point, options..., "-", type, ...
    const mount = read("/proc/self/mountinfo")
      .split("\n")
      .map((line) => line.split(" "))
      .find((fields) => fields[fields.indexOf("-") + 1] === "cgroup2");
    const [, , , root, point] = mount ?? [];
    if (own === undefined || root === undefined || point === undefined) {
      return undefined;
    }
    const below = relative(root, own);
    return below.startsWith("..") ? undefined : join(point, below);
  } catch {
    return undefined;
  }
}
