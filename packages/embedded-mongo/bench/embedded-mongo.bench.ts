import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Collection, MongoClient } from "mongodb";
import { rolldown } from "rolldown";

export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** What is asked of it, in words, and whether it was met. */
  target: string;
  met: boolean;
}

interface Stored {
  _id: number;
  group: number;
  at: number;
  pad: string;
}

const DOCUMENTS = 100_000;
/** Inside of the workspace, so that the bundle finds lmdb. */
const BUNDLE = fileURLToPath(new URL("../dist/bench/embedded-mongo.mjs", import.meta.url));

/** The speed of the server in a process of its own, by the official driver, with 2 KB documents. */
export async function bench(): Promise<BenchRow[]> {
  const data = mkdtempSync(join(tmpdir(), "embedded-mongo-bench-"));
  const { child, uri } = await start(data);
  const client = new MongoClient(uri, { maxPoolSize: 64 });
  try {
    await client.connect();
    return [
      ...(await pointReads(client)),
      ...(await inserts(client)),
      ...(await largeCollection(client, child)),
    ];
  } finally {
    await client.close();
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    rmSync(data, { recursive: true, force: true });
    rmSync(dirname(BUNDLE), { recursive: true, force: true });
  }
}

/** As it ships: bundled, without a loader, the worker beside it. */
async function start(data: string): Promise<{ child: ChildProcess; uri: string }> {
  for (const [entry, file] of [
    ["main.ts", BUNDLE],
    ["worker.ts", join(dirname(BUNDLE), "embedded-mongo-worker.mjs")],
  ] as const) {
    const bundle = await rolldown({
      input: fileURLToPath(new URL(`../src/${entry}`, import.meta.url)),
      platform: "node",
      external: ["lmdb"],
      logLevel: "silent",
    });
    await bundle.write({ file, format: "esm", codeSplitting: false });
    await bundle.close();
  }
  const child = spawn(process.execPath, [BUNDLE, "--port", "0", "--data", data], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const uri = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", () => reject(new Error("the server did not start")));
  });
  return { child, uri };
}

function document(_id: number): Stored {
  const text = Math.sin(_id).toString(36).slice(3, 11).padEnd(8, "x");
  return { _id, group: _id % 1000, at: (_id * 7919) % DOCUMENTS, pad: text.repeat(250) };
}

/** Calls a second, of `total` calls by `lanes` callers. */
async function rate(
  total: number,
  lanes: number,
  call: (i: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next < total) {
        const i = next;
        next += 1;
        await call(i);
      }
    }),
  );
  return (total / (performance.now() - started)) * 1000;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function pointReads(client: MongoClient): Promise<BenchRow[]> {
  const rows = client.db("bench").collection<Stored>("points");
  await rows.insertMany(Array.from({ length: 1000 }, (_, i) => document(i)));
  const ping = (): Promise<unknown> => client.db("bench").command({ ping: 1 });
  const find = (i: number): Promise<unknown> => rows.findOne({ _id: i % 1000 });
  await rate(3000, 1, ping);
  await rate(3000, 1, find);
  // Call by call in turns, and by the median, so that what else the machine does falls on both.
  const pings: number[] = [];
  const finds: number[] = [];
  for (let i = 0; i < 10_000; i += 1) {
    const started = performance.now();
    await ping();
    const between = performance.now();
    await find(i);
    pings.push(between - started);
    finds.push(performance.now() - between);
  }
  const [pingRate, findRate] = [1000 / median(pings), 1000 / median(finds)];
  const ratio = findRate / pingRate;
  return [
    row("ping", pingRate, "/s", "", true),
    row("findOne by _id", findRate, "/s", "", true),
    row("findOne by _id ÷ ping", ratio, "x", "at least 0.9", ratio >= 0.9),
  ];
}

async function inserts(client: MongoClient): Promise<BenchRow[]> {
  const rows = client.db("bench").collection<Stored>("inserts");
  const insert = (offset: number) => (i: number) => rows.insertOne(document(offset + i));
  await rate(500, 32, insert(0));
  const alone = await rate(2000, 1, insert(1_000_000));
  const together = await rate(20_000, 32, insert(2_000_000));
  const ratio = together / alone;
  return [
    row("insertOne, one at a time", alone, "/s", "", true),
    row("insertOne, 32 at a time", together, "/s", "", true),
    row("32 at a time ÷ one at a time", ratio, "x", "at least 4", ratio >= 4),
  ];
}

async function largeCollection(client: MongoClient, child: ChildProcess): Promise<BenchRow[]> {
  const rows = client.db("bench").collection<Stored>("large");
  await rows.createIndexes([{ key: { group: 1 } }, { key: { at: 1 } }]);
  for (let from = 0; from < DOCUMENTS; from += 2000) {
    await rows.insertMany(Array.from({ length: 2000 }, (_, i) => document(from + i)));
  }
  const indexed = await timed(() => rows.find({ group: 77 }).toArray());
  const sorted = await timed(() => rows.find().sort({ at: -1 }).limit(50).toArray());
  const counted = await timed(() => rows.countDocuments({}));
  const scan = performance.now();
  const seen = await scanAll(rows);
  const scanned = performance.now() - scan;
  const resident = residentMegabytes(child.pid ?? 0);
  return [
    row("find 100 of 100,000 by an index", indexed, "ms", "at most 10", indexed <= 10),
    row("sort by an index, limit 50", sorted, "ms", "at most 10", sorted <= 10),
    row("countDocuments({}) of 100,000", counted, "ms", "at most 50", counted <= 50),
    row(`scan of ${seen} documents`, scanned, "ms", "", seen === DOCUMENTS),
    row("resident memory after the scan", resident, "MB", "below 200", resident < 200),
  ];
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  await action();
  const times: number[] = [];
  for (let i = 0; i < 11; i += 1) {
    const started = performance.now();
    await action();
    times.push(performance.now() - started);
  }
  return median(times);
}

async function scanAll(rows: Collection<Stored>): Promise<number> {
  let seen = 0;
  for await (const _ of rows.find()) seen += 1;
  return seen;
}

function residentMegabytes(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) / 1024;
}

function row(name: string, value: number, unit: string, target: string, met: boolean): BenchRow {
  return { name, value: Number(value.toPrecision(4)), unit, target, met };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const rows = await bench();
  for (const { name, value, unit, target, met } of rows) {
    const verdict = target === "" ? "" : `${target}: ${met ? "met" : "MISSED"}`;
    process.stdout.write(`${name.padEnd(36)}${`${value} ${unit}`.padStart(14)}   ${verdict}\n`);
  }
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
}
