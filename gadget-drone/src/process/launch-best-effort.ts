import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  cookieVariable,
  type LaunchEnd,
  type Launched,
  type LaunchOptions,
  nothingYet,
} from "./command.ts";
import { endStrays } from "./end-strays.ts";
import { OutputReader } from "./output-reader.ts";
import { startOf } from "./processes.ts";

const watchdogScript = readFileSync(new URL("./watchdog.sh", import.meta.url), "utf8");

/** Where the mark is open in the command: beyond what a script redirects by hand. */
const markDescriptor = 10;

/**
 * Starts a command where no subreaper can be had. Its processes are known by their group and
 * session, a cookie in their environment, a file that is open in them, and by their parents; a
 * watchdog ends them when the drone dies or falls silent.
 */
export function launchBestEffort(options: LaunchOptions): Launched {
  const end = nothingYet();
  const mark = new Mark(options.cookie);
  // Before the command: whatever becomes of the drone from here on, somebody knows how to find it.
  const watchdog = new Watchdog(mark.path, options);
  let child: ChildProcess;
  try {
    child = spawnMarked(options, mark);
  } catch (error) {
    watchdog.dismiss();
    mark.remove();
    end.startError = error instanceof Error ? error.message : String(error);
    return { requestStop: () => {}, ended: Promise.resolve(end) };
  }
  child.stdin?.on("error", () => {});
  child.stdin?.end(options.stdin);
  const output = new OutputReader(options.onOutput);
  output.read(child.stdout, "stdout");
  output.read(child.stderr, "stderr");
  const group = child.pid;
  const since = group === undefined ? undefined : startOf(group);
  end.started = group !== undefined;
  if (group !== undefined) {
    watchdog.learn(group);
  }
  let askStop = () => {};

  const settle = async (): Promise<LaunchEnd> => {
    const asked = new Promise<"asked">((resolve) => {
      askStop = () => resolve("asked");
    });
    const exited = new Promise<"exited">((resolve) => {
      child.on("error", (error) => {
        end.startError = error.message;
        resolve("exited");
      });
      child.on("exit", (code, signal) => {
        end.exitCode = code;
        end.signalName = signal;
        resolve("exited");
      });
    });
    if ((await Promise.race([exited, asked])) === "asked") {
      end.stop = "asked";
    } else if (watchdog.wasSilent()) {
      end.stop = "silent";
    }
    if (group !== undefined) {
      const { cookie, termGraceMs } = options;
      const trace = { cookie, group, mark: mark.path, since };
      const strays = await endStrays({ ...trace, termGraceMs });
      end.processesEnded = strays.ended;
      end.left = strays.left;
      end.proven = false;
      if (strays.left === 0) {
        await exited;
      }
    }
    watchdog.dismiss();
    mark.remove();
    await output.drain();
    return end;
  };
  return { ended: settle(), requestStop: () => askStop() };
}

function spawnMarked(options: LaunchOptions, mark: Mark): ChildProcess {
  const streams = [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"] as const;
  const between = Array.from({ length: markDescriptor - streams.length }, () => "ignore" as const);
  const marked = mark.open();
  try {
    return spawn(options.argv[0], options.argv.slice(1), {
      cwd: options.cwd,
      detached: true,
      env: { ...options.env, [cookieVariable]: options.cookie },
      stdio: [...streams, ...between, marked ?? "ignore"],
    });
  } finally {
    if (marked !== undefined) {
      closeSync(marked);
    }
  }
}

/** A file that is open in all processes of a command which did not close it: a sign to find them by. */
class Mark {
  readonly path: string;

  constructor(cookie: string) {
    this.path = join(tmpdir(), `gadget-command-${cookie}`);
  }

  /** Where no file can be made, the other signs have to do. */
  open(): number | undefined {
    try {
      return openSync(this.path, "wx", 0o600);
    } catch {
      return undefined;
    }
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

class Watchdog {
  readonly #silenceMs: number;
  readonly #beat: NodeJS.Timeout;
  readonly #say: (line: string) => void;
  #last = performance.now();
  #silent = false;

  constructor(mark: string, { cookie, silenceMs }: LaunchOptions) {
    this.#silenceMs = silenceMs;
    const args = [String(silenceMs / 1000), mark, cookieVariable];
    const process = spawn("/bin/sh", ["-c", watchdogScript, "gadget-watchdog", ...args], {
      cwd: "/",
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    process.on("error", () => {});
    process.unref();
    const pipe = process.stdio[3];
    pipe?.on("error", () => {});
    this.#say = (line) => {
      if (pipe && "write" in pipe) {
        pipe.write(`${line}\n`);
      }
    };
    this.#say(cookie);
    this.#beat = setInterval(() => {
      this.#silent = this.wasSilent();
      this.#last = performance.now();
      this.#say("alive");
    }, silenceMs / 4).unref();
  }

  learn(group: number): void {
    this.#say(`group\n${group}`);
  }

  /** Whether the drone stood still for so long that its command was ended. */
  wasSilent(): boolean {
    return this.#silent || performance.now() - this.#last > this.#silenceMs;
  }

  dismiss(): void {
    clearInterval(this.#beat);
    this.#say("done");
  }
}
