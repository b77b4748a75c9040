import { setTimeout as delay } from "node:timers/promises";
import { findProcesses } from "./process-table.ts";

/** Killed processes need a moment to go; after this one the rest is reported as left. */
const sweepMs = 2000;

/**
 * Ends what a scan of the process table finds of a command: its group and all that carry its
 * cookie. A child that left the group and cleared its environment is not found; that is what the
 * subreaper is for.
 */
export async function endStrays(command: {
  cookie: string;
  group: number;
  termGraceMs: number;
}): Promise<{ ended: number; left: number }> {
  const ended = new Set<number>();
  const sweep = async (signal: NodeJS.Signals) => {
    // The group first: it is reached at once, however fast it forks.
    send(-command.group, signal);
    const found = await findProcesses(command);
    for (const pid of found) {
      ended.add(pid);
      send(pid, signal);
    }
    return found.length;
  };
  const until = async (signal: NodeJS.Signals | 0, ms: number) => {
    const deadline = performance.now() + ms;
    let left = 1;
    while (left > 0 && performance.now() < deadline) {
      left = signal ? await sweep(signal) : (await findProcesses(command)).length;
      if (left > 0) await delay(10);
    }
    return left;
  };
  // A scan takes its time: the group stands still for it, and is there to be counted.
  send(-command.group, "SIGSTOP");
  for (const pid of await findProcesses(command)) ended.add(pid);
  if (command.termGraceMs > 0 && ended.size > 0) {
    send(-command.group, "SIGTERM");
    send(-command.group, "SIGCONT");
    for (const pid of ended) send(pid, "SIGTERM");
    await until(0, command.termGraceMs);
  }
  const left = await until("SIGKILL", sweepMs);
  return { ended: ended.size - left, left };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, or not ours to signal; the next scan tells which.
  }
}
