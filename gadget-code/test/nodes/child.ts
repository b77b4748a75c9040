import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

const readyMs = 45_000;

/** A process of the test's, known to be up by a line that it prints. */
export class Child {
  readonly process: ChildProcess;
  readonly ready: Promise<RegExpExecArray>;
  readonly #ended: Promise<unknown>;
  output = "";

  constructor(command: string, args: string[], env: Record<string, string>, ready: RegExp) {
    const { PATH = "", HOME = "" } = process.env;
    const stdio = ["ignore", "pipe", "pipe"] as const;
    this.process = spawn(command, args, { env: { PATH, HOME, ...env }, stdio: [...stdio] });
    this.#ended = once(this.process, "close");
    this.ready = new Promise((resolve, reject) => {
      for (const stream of [this.process.stdout, this.process.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
          this.output += text;
          const match = ready.exec(this.output);
          if (match !== null) {
            resolve(match);
          }
        });
      }
      const fail = (why: string): void => reject(new Error(`${command} ${why}:\n${this.output}`));
      void this.#ended.then(() => fail("ended early"));
      setTimeout(() => fail("was not ready in time"), readyMs).unref();
    });
    this.ready.catch(() => {});
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) {
      return;
    }
    this.process.kill(signal);
    await this.#ended;
  }
}
