import { setTimeout as delay } from "node:timers/promises";
import { type CommandTrace, findProcesses } from "./processes.ts";

/** Killed processes need a moment to go; after this one the rest is reported as left. */
const sweepMs = 2000;
/** One that forks and goes can slip through a scan; it does not slip through so many. */
const emptyScans = 4;

/**
 * Ends what scans of the process table find of a command. That nothing is found is no proof that
 * nothing is left: a child that hid every sign is not seen. The proof is what the subreaper is for.
 */
export async function endStrays({
  termGraceMs,
  limitMs = sweepMs,
  ...trace
}: CommandTrace & { termGraceMs: number; limitMs?: number }): Promise<{
  ended: number;
  left: number;
}> {
  const known = new Map<number, string>();
  const sendGroup = (signal: NodeJS.Signals) => {
    if (trace.group !== undefined) {
      send(-trace.group, signal);
    }
  };
  const scan = async (signal?: NodeJS.Signals) => {
    // The group first: it is reached at once, however fast it forks.
    if (signal !== undefined) {
      sendGroup(signal);
    }
    const found = await findProcesses({ ...trace, known }, ({ pid, start }) => {
      known.set(pid, start);
      if (signal !== undefined) {
        send(pid, signal);
      }
    });
    return found.length;
  };
  const until = async (signal: NodeJS.Signals | undefined, ms: number) => {
    const deadline = performance.now() + ms;
    let left = 1;
    for (let empty = 0; empty < emptyScans && performance.now() < deadline; ) {
      left = await scan(signal);
      empty = left === 0 ? empty + 1 : 0;
      await delay(empty > 0 ? 2 : 10);
    }
    return left;
  };
  // A scan takes its time: the group stands still for it, and is there to be counted.
  sendGroup("SIGSTOP");
  await scan();
  if (termGraceMs > 0 && known.size > 0) {
    sendGroup("SIGTERM");
    sendGroup("SIGCONT");
    for (const pid of known.keys()) {
      send(pid, "SIGTERM");
    }
    await until(undefined, termGraceMs);
  }
  const left = await until("SIGKILL", limitMs);
  return { ended: known.size - left, left };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, or not ours to signal; the next scan tells which.
  }
}
