import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { cookieVariable } from "./command.ts";

/** What tells the processes of a command from others; one of these is enough. */
export interface CommandTrace {
  /** In their environment. */
  cookie?: string;
  /** Their process group or session: the command leads both. */
  group?: number | undefined;
  /** Their supervisor: orphans come to it, so whoever is left is below it. */
  below?: number | undefined;
  /** A file that is open in them. */
  mark?: string | undefined;
  /** When the command started, as the table has it: older processes are none of its own. */
  since?: string | undefined;
  /** Those that were seen before, with their starts: numbers are used again. */
  known?: ReadonlyMap<number, string>;
}

/** A living process; zombies are left out. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  session: number | undefined;
  start: string;
}

const run = promisify(execFile);

/**
 * Scans the processes of this machine that the caller may look at for those of a command, and for
 * their children. `onFound` is called in the very moment in which one is found, newest first, so
 * that one that forks and goes can be hit before it has.
 */
export async function findProcesses(
  trace: CommandTrace,
  onFound: (row: ProcessRow) => void = () => {},
): Promise<ProcessRow[]> {
  if (process.platform === "linux") {
    return scanProc(trace, onFound);
  }
  const options = { maxBuffer: 64 * 1024 * 1024 };
  const ps = await run("ps", ["-axwwE", "-o", "pid=,ppid=,pgid=,state=,command="], options);
  const holders = trace.mark === undefined ? "" : await holdersOf(trace.mark);
  return readPs(ps.stdout, trace, holders.split("\n").map(Number), onFound);
}

/** When a process started, as the table has it. */
export function startOf(pid: number): string | undefined {
  return process.platform === "linux" ? readStat(String(pid))?.start : undefined;
}

/** Without a pause: what is read is acted upon before the process can go on for long. */
function scanProc(trace: CommandTrace, onFound: (row: ProcessRow) => void): ProcessRow[] {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const marked = trace.mark === undefined ? undefined : fileId(trace.mark);
  const found = new Map<number, ProcessRow>();
  const others: ProcessRow[] = [];
  for (const name of names.sort((a, b) => Number(b) - Number(a))) {
    const row = readStat(name);
    if (row === undefined || row.pid === process.pid) {
      continue;
    }
    const ours = isTraced(row, trace) || (isYoung(row, trace) && hasSign(name, trace, marked));
    if (ours) {
      take(row, found, onFound);
    } else {
      others.push(row);
    }
  }
  return withChildren(found, others, onFound);
}

function readStat(pid: string): ProcessRow | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group, session] = fields;
  if (stat === "" || state === "Z" || state === "X") {
    return undefined;
  }
  const numbers = { parent: Number(parent), group: Number(group), session: Number(session) };
  return { pid: Number(pid), ...numbers, start: fields[19] ?? "" };
}

function isTraced(
  { pid, parent, group, session, start }: ProcessRow,
  trace: CommandTrace,
): boolean {
  if (trace.below !== undefined && parent === trace.below) {
    return true;
  }
  if (trace.group !== undefined && (group === trace.group || session === trace.group)) {
    return true;
  }
  return trace.known?.get(pid) === start;
}

function isYoung({ start }: ProcessRow, { since }: CommandTrace): boolean {
  return since === undefined || Number(start) >= Number(since);
}

function hasSign(pid: string, { cookie }: CommandTrace, marked: string | undefined): boolean {
  if (cookie !== undefined) {
    const environment = readText(`/proc/${pid}/environ`).split("\0");
    if (environment.includes(`${cookieVariable}=${cookie}`)) {
      return true;
    }
  }
  if (marked === undefined) {
    return false;
  }
  const folder = `/proc/${pid}/fd`;
  return listed(folder).some((fd) => fileId(`${folder}/${fd}`) === marked);
}

function take(
  row: ProcessRow,
  found: Map<number, ProcessRow>,
  onFound: (row: ProcessRow) => void,
): void {
  found.set(row.pid, row);
  onFound(row);
}

function withChildren(
  found: Map<number, ProcessRow>,
  others: ProcessRow[],
  onFound: (row: ProcessRow) => void,
): ProcessRow[] {
  let rest = others;
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    const children = rest.filter(({ parent }) => found.has(parent));
    rest = rest.filter(({ parent }) => !found.has(parent));
    for (const row of children) {
      take(row, found, onFound);
    }
  }
  return [...found.values()];
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function fileId(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

/** Ends with an error where nobody has the file open. */
async function holdersOf(file: string): Promise<string> {
  return run("lsof", ["-t", "-w", "--", file]).then(
    ({ stdout }) => stdout,
    () => "",
  );
}

/** Reads `ps` with pid, parent, group, state and command, which carries the environment. */
export function readPs(
  table: string,
  trace: CommandTrace,
  holders: readonly number[] = [],
  onFound: (row: ProcessRow) => void = () => {},
): ProcessRow[] {
  const found = new Map<number, ProcessRow>();
  const others: ProcessRow[] = [];
  for (const line of table.split("\n")) {
    const [, pid, parent, group, state = "", rest = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s(.*)$/.exec(line) ?? [];
    if (!pid || state.startsWith("Z") || Number(pid) === process.pid) {
      continue;
    }
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    const row = { ...numbers, session: undefined, start: "" };
    const signed =
      trace.cookie !== undefined && rest.split(/\s+/).includes(`${cookieVariable}=${trace.cookie}`);
    if (signed || isTraced(row, trace) || holders.includes(row.pid)) {
      take(row, found, onFound);
    } else {
      others.push(row);
    }
  }
  return withChildren(found, others, onFound);
}
