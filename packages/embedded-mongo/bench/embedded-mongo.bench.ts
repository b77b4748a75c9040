import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Collection, MongoClient } from "mongodb";
import { rolldown } from "rolldown";

/** A rate ("/s") should be at least its target, everything else at most. */
interface Row {
  name: string;
  value: number;
  unit: string;
  baseline?: number;
  target?: number;
  samples?: number[];
}

interface Stored {
  _id: number;
  group: number;
  at: number;
  pad: string;
}

const documentCount = 100_000;
/** Inside of the workspace, so that the bundle finds lmdb. */
const bundleFile = fileURLToPath(new URL("../dist/bench/embedded-mongo.mjs", import.meta.url));

/** The speed of the server in a process of its own, by the official driver, with 2 KB documents. */
export async function bench(): Promise<Row[]> {
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
    rmSync(dirname(bundleFile), { recursive: true, force: true });
  }
}

/** As it ships: bundled, without a loader, the worker beside it. */
async function start(data: string): Promise<{ child: ChildProcess; uri: string }> {
  for (const [entry, file] of [
    ["main.ts", bundleFile],
    ["worker.ts", join(dirname(bundleFile), "embedded-mongo-worker.mjs")],
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
  const child = spawn(process.execPath, [bundleFile, "--port", "0", "--data", data], {
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
  return { _id, group: _id % 1000, at: (_id * 7919) % documentCount, pad: text.repeat(250) };
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

async function pointReads(client: MongoClient): Promise<Row[]> {
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
  return [
    row("ping", pingRate, "/s"),
    row("findOne by _id", findRate, "/s", pingRate * 0.9, pingRate),
  ];
}

async function inserts(client: MongoClient): Promise<Row[]> {
  const rows = client.db("bench").collection<Stored>("inserts");
  const insert = (offset: number) => (i: number) => rows.insertOne(document(offset + i));
  await rate(500, 32, insert(0));
  const alone = await rate(2000, 1, insert(1_000_000));
  const together = await rate(20_000, 32, insert(2_000_000));
  return [
    row("insertOne, one at a time", alone, "/s"),
    row("insertOne, 32 at a time", together, "/s", alone * 4, alone),
  ];
}

async function largeCollection(client: MongoClient, child: ChildProcess): Promise<Row[]> {
  const rows = client.db("bench").collection<Stored>("large");
  await rows.createIndexes([{ key: { group: 1 } }, { key: { at: 1 } }]);
  for (let from = 0; from < documentCount; from += 2000) {
    await rows.insertMany(Array.from({ length: 2000 }, (_, i) => document(from + i)));
  }
  const indexed = await timed(() => rows.find({ group: 77 }).toArray());
  const sorted = await timed(() => rows.find().sort({ at: -1 }).limit(50).toArray());
  const counted = await timed(() => rows.countDocuments({}));
  const scan = performance.now();
  if ((await scanAll(rows)) !== documentCount) {
    throw new Error("the scan has missed documents");
  }
  const scanned = performance.now() - scan;
  const resident = residentMegabytes(child.pid ?? 0);
  return [
    timesRow("find 100 of 100,000 by an index", indexed, 10),
    timesRow("sort by an index, limit 50", sorted, 10),
    timesRow("countDocuments({}) of 100,000", counted, 50),
    row("scan of 100,000 documents", scanned, "ms"),
    row("resident memory after the scan", resident, "MB", 200),
  ];
}

async function timed(action: () => Promise<unknown>): Promise<number[]> {
  await action();
  const times: number[] = [];
  for (let i = 0; i < 11; i += 1) {
    const started = performance.now();
    await action();
    times.push(performance.now() - started);
  }
  return times;
}

function timesRow(name: string, samples: number[], target: number): Row {
  return { ...row(name, median(samples), "ms", target), samples };
}

async function scanAll(rows: Collection<Stored>): Promise<number> {
  let seen = 0;
  for await (const _ of rows.find()) {
    seen += 1;
  }
  return seen;
}

function residentMegabytes(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) / 1024;
}

function row(name: string, value: number, unit: string, target?: number, baseline?: number): Row {
  return {
    name,
    value,
    unit,
    ...(target !== undefined && { target }),
    ...(baseline !== undefined && { baseline }),
  };
}

function line({ name, value, unit, target, baseline }: Row): string {
  const missed = target !== undefined && (unit === "/s" ? value < target : value > target);
  return [
    name.padEnd(34),
    `${value.toPrecision(4)} ${unit}`.padStart(12),
    (baseline === undefined ? "" : `${(value / baseline).toFixed(2)} x`).padStart(9),
    target === undefined ? "" : `  target ${target.toPrecision(3)}${missed ? ", MISSED" : ""}`,
  ].join("");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const measured of await bench()) {
    process.stdout.write(`${line(measured)}\n`);
  }
}
