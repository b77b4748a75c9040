import { type ChildProcess, spawn } from "node:child_process";
import { cookieVariable, type LaunchEnd, type Launched, type LaunchOptions } from "./command.ts";
import { endStrays } from "./end-strays.ts";
import { OutputReader } from "./output-reader.ts";

/** Waits for the drone's end of the pipe to close, then ends the group. */
const watchdogScript =
  'read -r word <&3; [ "$word" = done ] && exit 0; ' +
  'kill -TERM -- "-$1"; sleep 0.3; kill -KILL -- "-$1"';

/**
 * Starts a command where no subreaper can be had: its own process group, a cookie in its
 * environment, and a watchdog that ends the group when the drone dies.
 */
export function launchBestEffort(options: LaunchOptions): Launched {
  const end: LaunchEnd = {
    started: false,
    exitCode: null,
    signalName: null,
    stop: null,
    processesEnded: 0,
    left: 0,
  };
  let child: ChildProcess;
  try {
    child = spawn(options.argv[0], options.argv.slice(1), {
      cwd: options.cwd,
      detached: true,
      env: { ...options.env, [cookieVariable]: options.cookie },
      stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    end.startError = error instanceof Error ? error.message : String(error);
    return { requestStop: () => {}, ended: Promise.resolve(end) };
  }
  child.stdin?.on("error", () => {});
  child.stdin?.end(options.stdin);
  const output = new OutputReader(options.onOutput);
  output.read(child.stdout, "stdout");
  output.read(child.stderr, "stderr");
  const group = child.pid;
  end.started = group !== undefined;
  const dismiss = group === undefined ? () => {} : watch(group);
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
    if ((await Promise.race([exited, asked])) === "asked") end.stop = "asked";
    if (group !== undefined) {
      const { cookie, termGraceMs } = options;
      const strays = await endStrays({ cookie, group, termGraceMs });
      end.processesEnded = strays.ended;
      end.left = strays.left;
      if (strays.left === 0) await exited;
    }
    dismiss();
    await output.drain();
    return end;
  };
  return { ended: settle(), requestStop: () => askStop() };
}

function watch(group: number): () => void {
  const watchdog = spawn("/bin/sh", ["-c", watchdogScript, "gadget-watchdog", String(group)], {
    cwd: "/",
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  watchdog.on("error", () => {});
  watchdog.unref();
  const pipe = watchdog.stdio[3];
  pipe?.on("error", () => {});
  return () => {
    if (pipe && "end" in pipe) pipe.end("done\n");
  };
}
