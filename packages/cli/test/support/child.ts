import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface ChildOptions {
  /** This Node, unless said otherwise. */
  command?: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** What is written to its stdin, which then ends. */
  input?: string;
}

const deadlineMs = 25_000;

/** A child process whose output can be waited for. */
export class Child {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  readonly #listeners = new Set<() => void>();

  constructor({ command = process.execPath, args, cwd, env, input = "" }: ChildOptions) {
    const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.process = child;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#tell();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#tell();
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    this.ended = once(child, "close").then(([code]: (number | null)[]) => {
      this.#tell();
      return { code: code ?? null, stdout: this.stdout, stderr: this.stderr };
    });
  }

  /** Waits for its end; at the deadline it is killed, and what it said is in the error. */
  async end(): Promise<Ended> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.process.kill("SIGKILL");
    }, deadlineMs);
    const ended = await this.ended;
    clearTimeout(timer);
    if (late) {
      throw new Error(`It did not end:\n${ended.stdout}\n${ended.stderr}`);
    }
    return ended;
  }

  interrupt(): void {
    this.process.kill("SIGINT");
  }

  /** Waits until its output contains the pattern. */
  async until(pattern: RegExp): Promise<void> {
    const all = () => this.stdout + this.stderr;
    await new Promise<void>((resolve, reject) => {
      const finish = (error?: Error) => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        if (error === undefined) {
          resolve();
        } else {
          reject(error);
        }
      };
      const look = () => {
        if (pattern.test(all())) {
          finish();
        } else if (this.process.exitCode !== null) {
          finish(new Error(`It ended (${this.process.exitCode}) without ${pattern}:\n${all()}`));
        }
      };
      const timer = setTimeout(
        () => finish(new Error(`${pattern} did not come:\n${all()}`)),
        deadlineMs,
      );
      this.#listeners.add(look);
      look();
    });
  }

  /** Ends it and waits for that. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const kill = setTimeout(() => this.process.kill("SIGKILL"), 5_000);
    this.process.kill(signal);
    await this.ended;
    clearTimeout(kill);
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
