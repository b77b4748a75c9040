import { randomUUID } from "node:crypto";
import { type CommandOptions, type CommandResult, type LaunchEnd, nothingYet } from "./command.ts";
import { launchBestEffort } from "./launch-best-effort.ts";
import { launchSupervised } from "./launch-supervised.ts";
import { type SupervisorCapability, supervisorCapability } from "./supervisor-capability.ts";

const defaultTermGraceMs = 200;
const defaultSilenceMs = 600_000;

/** A command on its way; it can be stopped at any time, and `done` says how it ended. */
export interface RunningCommand {
  done: Promise<CommandResult>;
  stop(): Promise<CommandResult>;
}

/** Runs a command to its end. Never rejects: how it ended, or why it did not start, is the result. */
export async function runCommand(
  options: CommandOptions,
  capability?: SupervisorCapability,
): Promise<CommandResult> {
  return startCommand(options, capability ?? (await supervisorCapability())).done;
}

/** Starts a command that is stopped by its signal, its timeout, or `stop`, whichever is first. */
export function startCommand(
  options: CommandOptions,
  capability: SupervisorCapability,
): RunningCommand {
  const begun = performance.now();
  const { signal } = options;
  if (signal.aborted) {
    const done = Promise.resolve(toResult(notStarted, "abort", begun));
    return { done, stop: () => done };
  }
  const launch = {
    argv: options.argv,
    cwd: options.cwd,
    env: options.env,
    cookie: randomUUID(),
    termGraceMs: options.termGraceMs ?? defaultTermGraceMs,
    silenceMs: options.silenceMs ?? defaultSilenceMs,
    ...(options.stdin !== undefined && { stdin: options.stdin }),
    ...(options.onOutput && { onOutput: options.onOutput }),
  };
  const launched =
    capability.supervisor === "subreaper"
      ? launchSupervised(capability.subreaper, launch)
      : launchBestEffort(launch);

  let askedBy: CommandResult["stoppedBy"] = null;
  let over = false;
  const ask = (by: CommandResult["stoppedBy"]) => {
    if (askedBy || over) {
      return;
    }
    askedBy = by;
    launched.requestStop();
  };
  const onAbort = () => ask("abort");
  signal.addEventListener("abort", onAbort, { once: true });
  const { timeoutMs } = options;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => ask("timeout"), timeoutMs);

  const finish = async (): Promise<CommandResult> => {
    const end = await launched.ended;
    over = true;
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
    return toResult(end, askedBy, begun);
  };
  const done = finish();
  return {
    done,
    stop: () => {
      ask("stop");
      return done;
    },
  };
}

const notStarted: LaunchEnd = { ...nothingYet(), stop: "asked" };

function toResult(
  { stop, ...end }: LaunchEnd,
  askedBy: CommandResult["stoppedBy"],
  begun: number,
): CommandResult {
  const byItself = stop === "silent" ? "silence" : stop;
  const stoppedBy = byItself === "asked" ? askedBy : byItself;
  return { ...end, stoppedBy, durationMs: Math.round(performance.now() - begun) };
}
