import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { eventually } from "@gadget/testing/eventually";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** A drone as a process of its own, started from its source. */
export class DroneChild {
  readonly process: ChildProcess;
  readonly messages: { type: string }[] = [];
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  output = "";

  constructor(args: string[], env: Record<string, string>, { ipc = false, asNobody = false } = {}) {
    const stdio = ["ignore", "pipe", "pipe", ...(ipc ? ["ipc" as const] : [])] as const;
    this.process = spawn(process.execPath, ["--import", "tsx", main, ...args], {
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
      stdio: [...stdio],
      ...(asNobody && { uid: 65_534, gid: 65_534 }),
    });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on("data", (chunk) => (this.output += String(chunk)));
    }
    this.process.on("message", (message: { type: string }) => this.messages.push(message));
    this.exited = once(this.process, "exit").then(([code, signal]) => ({ code, signal }));
  }

  send(message: object): void {
    this.process.send?.(message, () => {});
  }

  said(type: string): Promise<{ type: string }> {
    return eventually(`the drone says ${type} (${this.output})`, () =>
      this.messages.find((message) => message.type === type),
    );
  }

  /** For a test that failed in the middle. */
  async end(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill("SIGCONT");
      this.process.kill("SIGKILL");
      await this.exited;
    }
  }
}
