import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "@gadget/testing/eventually";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { TestDrone } from "../test/support/test-drone.ts";
import { TestServer } from "../test/support/test-server.ts";

interface Row {
  name: string;
  value: number;
  unit: string;
  target?: number;
  samples?: number[];
}

const aborts = 60;
const starts = 7;
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Abort to the completion's arrival, the start of the built drone, and what it needs idle. */
export async function bench(): Promise<Row[]> {
  const text = await abortsDuringText();
  const { online, idleMb } = await coldStarts();
  return [
    row("abort to completion received, text, median", text.completed, "ms", 10),
    row("abort to model's connection closed, text, median", text.closed, "ms", 10),
    row("start to online, median", online, "ms", 1_000),
    row("memory when idle", idleMb, "MB", 90),
  ];
}

function row(name: string, samples: number[], unit: string, target: number): Row {
  return { name, value: Math.round(median(samples) * 10) / 10, unit, target, samples };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Server, model and drone over real connections on loopback; the model is talking. */
async function abortsDuringText() {
  const test = await TestDrone.start();
  const { server, model } = test;
  const completed: number[] = [];
  const closed: number[] = [];
  for (let run = 0; run < aborts; run++) {
    let call: ModelCall | undefined;
    model.answer(async (asked) => {
      call = asked;
      while (!asked.isClosed) {
        asked.text("word ");
        await delay(2);
      }
    });
    const order = test.order();
    await server.submit(order);
    await eventually("some text", () => server.text(order.turnId).length > 20);
    const begun = performance.now();
    void server.abort(order.turnId);
    const end = await server.completed(order.turnId);
    completed.push(end.at - begun);
    if (call !== undefined) {
      closed.push((await call.closed) - begun);
    }
  }
  await test.stop();
  return { completed, closed };
}

/** The bundle, as it ships: enrolled at its first start, timed at the later ones. */
async function coldStarts() {
  await promisify(execFile)(process.execPath, [join(root, "scripts/build/bundle.mjs"), "drone"]);
  const bundle = join(root, "gadget-drone/dist/gadget-drone.mjs");
  const server = await TestServer.start();
  const folder = await mkdtemp(join(tmpdir(), "gadget-bench-"));
  const online: number[] = [];
  const idleMb: number[] = [];
  for (let run = 0; run <= starts; run++) {
    const begun = performance.now();
    const enrolment = run === 0 ? ["--enroll", "good-code-123"] : [];
    const args = [bundle, "--data", folder, "--server", server.url, ...enrolment];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    await server.greeted(run + 1);
    if (run > 0) {
      online.push(performance.now() - begun);
    }
    await delay(500);
    if (child.pid !== undefined) {
      idleMb.push(await residentMb(child.pid));
    }
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  return { online, idleMb };
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
