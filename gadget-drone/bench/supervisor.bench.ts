import { spawn } from "node:child_process";
import { once } from "node:events";
import { runCommand } from "../src/process/run-command.ts";
import { supervisorCapability } from "../src/process/supervisor-capability.ts";

interface Row {
  name: string;
  value: number;
  unit: string;
  baseline?: number;
  ratio?: number;
  target?: number;
  samples?: number[];
}

const env = { PATH: process.env["PATH"] ?? "" };

/** Prints the time every 2 ms, so that its last sign of life can be read from its output. */
const signsOfLife = `use Time::HiRes "time";
$SIG{TERM} = "IGNORE" if $ARGV[0] eq "trap";
$| = 1;
while (1) { print time, "\\n"; select undef, undef, undef, 0.002 }`;

/** Start through the supervisor against a bare spawn, and the time from abort to the end. */
export async function bench(): Promise<Row[]> {
  const capability = await supervisorCapability();
  const bare = await sample(60, bareFirstOutput);
  const supervised = await sample(60, supervisedFirstOutput);
  const plain = await sample(20, () => abortToLastSign("plain"));
  const trap = await sample(10, () => abortToLastSign("trap"));
  const label = capability.supervisor;
  return [
    {
      name: `start to first output, ${label}`,
      value: round(median(supervised)),
      unit: "ms",
      baseline: round(median(bare)),
      ratio: round(median(supervised) / median(bare)),
      samples: supervised,
    },
    {
      name: `start over a bare spawn, ${label}`,
      value: round(median(supervised) - median(bare)),
      unit: "ms",
      target: 15,
    },
    {
      name: "abort to last sign of life, median",
      value: round(median(plain.map((times) => times.sign))),
      unit: "ms",
      target: 50,
      samples: plain.map((times) => times.sign),
    },
    {
      name: "abort to last sign of life, worst",
      value: round(Math.max(...plain.map((times) => times.sign))),
      unit: "ms",
      target: 50,
    },
    {
      name: "abort to nothing left, proven",
      value: round(median(plain.map((times) => times.settled))),
      unit: "ms",
      samples: plain.map((times) => times.settled),
    },
    {
      name: "abort to last sign of life, TERM trapped, worst",
      value: round(Math.max(...trap.map((times) => times.sign))),
      unit: "ms",
      target: 300,
      samples: trap.map((times) => times.sign),
    },
  ];
}

async function bareFirstOutput(): Promise<number> {
  const begun = performance.now();
  const child = spawn("/bin/echo", ["x"], { env, stdio: ["ignore", "pipe", "pipe"] });
  await once(child.stdout, "data");
  const time = performance.now() - begun;
  await once(child, "close");
  return time;
}

async function supervisedFirstOutput(): Promise<number> {
  const begun = performance.now();
  let time = Number.NaN;
  await runCommand({
    argv: ["/bin/echo", "x"],
    cwd: "/",
    env,
    signal: new AbortController().signal,
    onOutput: () => {
      time = performance.now() - begun;
    },
  });
  return time;
}

async function abortToLastSign(kind: "plain" | "trap") {
  const controller = new AbortController();
  let output = "";
  let announce = () => {};
  const alive = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const running = runCommand({
    argv: ["perl", "-e", signsOfLife, kind],
    cwd: "/",
    env,
    signal: controller.signal,
    onOutput: (text) => {
      output += text;
      if (output.length > 200) {
        announce();
      }
    },
  });
  await alive;
  const aborted = performance.timeOrigin + performance.now();
  controller.abort();
  await running;
  const settled = performance.timeOrigin + performance.now() - aborted;
  const last = Number(output.trim().split("\n").at(-1)) * 1000;
  return { sign: Math.max(0, last - aborted), settled };
}

async function sample<T>(count: number, measure: () => Promise<T>): Promise<T[]> {
  const values: T[] = [];
  for (let index = 0; index < count; index++) {
    values.push(await measure());
  }
  return values;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
