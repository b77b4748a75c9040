import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import { constants as osConstants } from "node:os";
import { Duplex } from "node:stream";
import {
  cookieVariable,
  type LaunchEnd,
  type Launched,
  type LaunchOptions,
  nothingYet,
} from "./command.ts";
import { ControlGroup } from "./control-group.ts";
import { endStrays } from "./end-strays.ts";
import { OutputReader } from "./output-reader.ts";

/** Read once: what a command does to the file changes nothing for the next one. */
const supervisorScript = readFileSync(new URL("./supervisor.pl", import.meta.url), "utf8");

/** What starting a subreaper takes on this machine. */
export interface Subreaper {
  perl: string;
  syscalls: { prctl: number; rtSigprocmask: number; signalfd4: number };
  /** The folder in which control groups can be made, where there is one. */
  controlGroups?: string | undefined;
}

/**
 * How long after the grace a supervisor may go without reporting an end, before it counts as
 * stopped, held or limited by its own command. Together less than a turn's deadline.
 */
const hinderedAfterMs = 1000;
const rescueMs = 1500;
const lostAfterMs = 500;

/** Starts a command under its own subreaper, which outlives the drone if it has to. */
export function launchSupervised(subreaper: Subreaper, options: LaunchOptions): Launched {
  const group = ControlGroup.make(subreaper.controlGroups, options.cookie);
  let supervisor: ChildProcess;
  try {
    supervisor = spawnSupervisor(subreaper, options, group);
  } catch (error) {
    group?.remove();
    // Node throws some spawn failures (arguments too long, NUL bytes) and emits the others.
    const startError = error instanceof Error ? error.message : String(error);
    return { requestStop: () => {}, ended: Promise.resolve({ ...nothingYet(), startError }) };
  }
  const [, , , control, reports] = supervisor.stdio;
  if (!(control instanceof Duplex && reports instanceof Duplex)) {
    throw new Error("The supervisor was started without its pipes");
  }
  const report: Report = { ...nothingYet(), done: false };
  const output = new OutputReader(options.onOutput);
  output.read(supervisor.stdout, "stdout");
  output.read(supervisor.stderr, "stderr");
  const beat = setInterval(() => control.write("."), options.silenceMs / 4).unref();
  let lost: NodeJS.Timeout | undefined;

  const supervisorGone = new Promise<void>((resolve) => {
    let buffered = "";
    reports.setEncoding("utf8");
    reports.on("data", (text: string) => {
      const lines = (buffered + text).split("\n");
      buffered = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("pipes ")) {
          control.write(openPipes(supervisor.pid, line, output));
        } else {
          readReport(report, line);
        }
      }
      // It goes on trying for as long as it takes, but nobody waits for it any longer.
      if (report.left > 0) {
        resolve();
      }
    });
    reports.on("error", () => {});
    control.on("error", () => {});
    supervisor.on("error", (error) => {
      report.startError = error.message;
      resolve();
    });
    supervisor.on("exit", () => {
      if (reports.closed) {
        resolve();
      } else {
        reports.once("close", () => resolve());
      }
    });
  });

  const trace = () => ({ cookie: options.cookie, group: report.pid, termGraceMs: 0 });
  let rescue: Promise<number> | undefined;

  /** Ends from outside what a hindered supervisor can't, as long as its orphans come to it. */
  const endFromOutside = async () => {
    if (hasEnded(supervisor) || report.left > 0) {
      return 0;
    }
    const strays = await endStrays({ ...trace(), below: supervisor.pid, limitMs: rescueMs });
    if (!hasEnded(supervisor)) {
      supervisor.kill("SIGCONT");
      lost = setTimeout(() => supervisor.kill("SIGKILL"), lostAfterMs);
    }
    return strays.ended;
  };

  const settle = async (): Promise<LaunchEnd> => {
    await supervisorGone;
    clearInterval(beat);
    clearTimeout(lost);
    const rescued = (await rescue) ?? 0;
    clearTimeout(lost);
    const { done, pid, ...end } = report;
    // A report may be read after the exit: only now both are known.
    const proved = done && supervisor.exitCode === 0;
    if (rescue) {
      end.stop ??= "asked";
    }
    end.processesEnded = Math.max(end.processesEnded, rescued);
    if (pid && !proved && end.left === 0) {
      // Killed, it proves nothing, whatever it had reported: look for what it left behind.
      const grouped = (await group?.end()) ?? 0;
      const strays = await endStrays(trace());
      end.stop ??= "supervisor";
      end.processesEnded = rescued + grouped + strays.ended;
      end.left = strays.left;
      end.proven = false;
      end.supervisorLost = true;
    }
    group?.remove();
    await output.drain();
    control.destroy();
    reports.destroy();
    return end.startError ? { ...end, started: false, exitCode: null } : end;
  };

  return {
    ended: settle(),
    requestStop: () => {
      control.write("x");
      clearTimeout(lost);
      lost = setTimeout(() => {
        rescue = endFromOutside();
      }, options.termGraceMs + hinderedAfterMs);
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function spawnSupervisor(
  { perl, syscalls }: Subreaper,
  options: LaunchOptions,
  group: ControlGroup | undefined,
): ChildProcess {
  // Variables that steer perl would steer the supervisor; it sets them for the command only.
  const forPerl = Object.entries(options.env).filter(([name]) => name.startsWith("PERL"));
  const env = Object.fromEntries(
    Object.entries(options.env).filter(([name]) => !name.startsWith("PERL")),
  );
  const { prctl, rtSigprocmask, signalfd4 } = syscalls;
  const times = [options.termGraceMs / 1000, options.silenceMs / 1000];
  const supervisor = spawn(
    perl,
    [
      "-e",
      supervisorScript,
      "--",
      ...[prctl, rtSigprocmask, signalfd4, ...times].map(String),
      options.cookie,
      options.cwd,
      group?.folder ?? "",
      String(forPerl.length),
      ...forPerl.map(([name, value]) => `${name}=${value}`),
      ...options.argv,
    ],
    {
      cwd: "/",
      detached: true,
      env: { ...env, PERL_BADLANG: "0", [cookieVariable]: options.cookie },
      stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe", "pipe", "pipe"],
    },
  );
  supervisor.stdin?.on("error", () => {});
  supervisor.stdin?.end(options.stdin);
  return supervisor;
}

/** Opens the reading ends that the supervisor offers; answers whether the command shall use them. */
function openPipes(pid: number | undefined, line: string, output: OutputReader): "p" | "s" {
  const opened: number[] = [];
  try {
    for (const fd of line.split(" ").slice(1)) {
      const flags = constants.O_RDONLY | constants.O_NONBLOCK;
      opened.push(openSync(`/proc/${pid}/fd/${fd}`, flags));
    }
  } catch {
    for (const fd of opened) {
      closeSync(fd);
    }
    return "s";
  }
  for (const [index, fd] of opened.entries()) {
    const stream = new Socket({ fd, readable: true, writable: false });
    output.read(stream, index === 0 ? "stdout" : "stderr");
  }
  return "p";
}

type Report = LaunchEnd & { done: boolean; pid?: number };

function readReport(report: Report, line: string): void {
  const [word, first = "", second = ""] = line.split(" ");
  if (word === "start") {
    report.started = true;
    report.pid = Number(first);
  } else if (word === "fail") {
    report.startError = line.slice("fail ".length);
  } else if (word === "exit") {
    report.exitCode = second === "0" ? Number(first) : null;
    report.signalName = signalName(Number(second));
  } else if (word === "stop") {
    report.stop = first === "asked" || first === "silent" ? first : "supervisor";
  } else if (word === "left") {
    report.left = Number(first);
  } else if (word === "done") {
    report.done = true;
    report.processesEnded = Number(first);
  }
}

function signalName(number: number): string | null {
  return Object.entries(osConstants.signals).find(([, value]) => value === number)?.[0] ?? null;
}
