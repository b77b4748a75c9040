import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { CommandResult } from "../../src/process/command.ts";

const script = fileURLToPath(new URL("./small-drone.ts", import.meta.url));
const tsx = createRequire(import.meta.url).resolve("tsx");

/** A small drone in a process of its own, as the given user when that is not us. */
export class DroneProcess {
  readonly child: ChildProcess;
  readonly #results = new Map<string, (result: CommandResult) => void>();

  /** Control groups are mounted for this process alone; only root can do that. */
  constructor({ asNobody = false, bestEffort = false, controlGroups = "" } = {}) {
    const node = [
      process.execPath,
      "--import",
      tsx,
      script,
      ...(bestEffort ? ["best-effort"] : []),
    ];
    const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const mount = `mount -t cgroup2 none "$0" && exec "$@"`;
    const grouped = ["unshare", "--mount", "/bin/sh", "-c", mount, controlGroups];
    const before = [...(controlGroups === "" ? [] : grouped), ...(asNobody ? nobody : [])];
    const [file = "", ...args] = [...before, ...node];
    this.child = spawn(file, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { PATH: process.env["PATH"], TSX_DISABLE_CACHE: "1" },
    });
    this.child.stdin?.on("error", () => {});
    if (!this.child.stdout) {
      throw new Error("No output");
    }
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const { id, result } = JSON.parse(line);
      this.#results.get(id)?.(result);
    });
  }

  ready(): Promise<CommandResult> {
    return this.#result("ready");
  }

  run(request: {
    id: string;
    command: string;
    shell?: readonly [string, ...string[]];
    cwd: string;
    silenceMs?: number;
    abortAfterMs?: number;
  }): Promise<CommandResult> {
    this.child.stdin?.write(`${JSON.stringify(request)}\n`);
    return this.#result(request.id);
  }

  abort(id: string): void {
    this.child.stdin?.write(`${JSON.stringify({ id, abort: true })}\n`);
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) {
      return;
    }
    const exit = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exit;
  }

  #result(id: string): Promise<CommandResult> {
    return new Promise((resolve) => this.#results.set(id, resolve));
  }
}
