import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { cookieVariable } from "./command.ts";

/** Which living processes a scan is after; a process matches when any of the criteria does. */
export interface ProcessQuery {
  cookie?: string;
  group?: number;
}

/** Scans the processes of this machine that the caller may look at; zombies are left out. */
export async function findProcesses(query: ProcessQuery): Promise<number[]> {
  return process.platform === "linux" ? scanProc(query) : scanPs(query);
}

async function scanProc(query: ProcessQuery): Promise<number[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const matches = await Promise.all(names.map((name) => matchesProc(name, query)));
  return names.filter((_, index) => matches[index]).map(Number);
}

async function matchesProc(pid: string, query: ProcessQuery): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return false;
    if (query.group !== undefined && Number(group) === query.group) return true;
    return query.cookie !== undefined && (await hasCookie(pid, query.cookie));
  } catch {
    return false;
  }
}

async function hasCookie(pid: string, cookie: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  return environment.split("\0").includes(`${cookieVariable}=${cookie}`);
}

async function scanPs(query: ProcessQuery): Promise<number[]> {
  const { stdout } = await promisify(execFile)(
    "ps",
    ["-axwwE", "-o", "pid=,pgid=,state=,command="],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  return readPs(stdout, query);
}

/** Reads `ps` with pid, group, state and command, where the command carries the environment. */
export function readPs(table: string, query: ProcessQuery): number[] {
  return table.split("\n").flatMap((line) => {
    const [, pid, group, state = "", rest = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s(.*)$/.exec(line) ?? [];
    if (!pid || state.startsWith("Z")) return [];
    const inGroup = query.group !== undefined && Number(group) === query.group;
    const words = query.cookie === undefined ? [] : rest.split(/\s+/);
    return inGroup || words.includes(`${cookieVariable}=${query.cookie}`) ? [Number(pid)] : [];
  });
}
