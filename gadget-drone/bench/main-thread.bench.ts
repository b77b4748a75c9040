import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@gadget/testing/eventually";
import { ScriptedModel } from "@gadget/testing/scripted-model";
import { DroneChild } from "../test/support/drone-child.ts";
import { type Call, floods, manyNames } from "../test/support/floods.ts";
import { marksServer } from "../test/support/marks-server.ts";
import { TestServer } from "../test/support/test-server.ts";

const runs = 4;

/**
 * Runs in the drone: on a signal it writes the most that its thread has worked since the last one
 * without taking up something else. The thread's own time: that of other programs is not in it.
 */
const watch = `
  import { readFileSync, renameSync, writeFileSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  const worked = () => Number(readFileSync("/proc/self/task/" + process.pid + "/schedstat", "utf8").split(" ")[0]);
  if (isMainThread) {
    let last = worked();
    let most = 0;
    setInterval(() => {
      const now = worked();
      most = Math.max(most, now - last);
      last = now;
    }, 1).unref();
    process.on("SIGUSR2", () => {
      const file = process.env.BENCH_STRETCH;
      writeFileSync(file + ".new", String(most / 1e6));
      renameSync(file + ".new", file);
      most = 0;
    });
  }
`;

interface Row {
  name: string;
  value: number;
  unit: string;
  target: number;
  samples: number[];
}

/**
 * A54: how long the drone's thread is busy at a stretch, at the most, while it works at what should
 * keep it busy. The worst of some runs counts.
 */
export async function bench(): Promise<Row[]> {
  const [server, model, pages] = await Promise.all([
    TestServer.start(),
    ScriptedModel.start(),
    marksServer(),
  ]);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-bench-")));
  const stretch = join(folder, "stretch");
  const args = [
    "--data",
    join(folder, "data"),
    "--server",
    server.url,
    "--enroll",
    "good-code-123",
  ];
  const drone = new DroneChild(args, {
    GADGET_LOG_LEVEL: "warn",
    GADGET_FETCH_INNER: "1",
    GADGET_ROOTS: folder,
    BENCH_STRETCH: stretch,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watch)}`,
  });
  await server.greeted();

  const longest = async () => {
    await rm(stretch, { force: true });
    drone.process.kill("SIGUSR2");
    return eventually("the stretch", () => readFile(stretch, "utf8").then(Number, () => undefined));
  };
  const flooded = async (directory: string, calls: Call[]) => {
    model.answer((asked) => {
      if (asked.toolResults.length > 0) {
        asked.text("Done.");
      } else {
        for (const [name, text] of calls) {
          asked.toolWith(name, text);
        }
      }
      asked.end();
    });
    const order = server.order({
      provider: { kind: "openai", baseUrl: model.baseUrl, apiKey: "key" },
      workspace: { source: { kind: "directory", directory }, environment: [] },
    });
    await longest();
    await server.submit(order);
    await server.completed(order.turnId, 120_000);
    return longest();
  };
  const measured = async (name: string, prepare: (at: string) => Call[] | Promise<Call[]>) => {
    const samples: number[] = [];
    for (let run = 0; run < runs; run++) {
      const directory = await mkdtemp(join(folder, "flood-"));
      samples.push(await flooded(directory, await prepare(directory)));
    }
    const value = Math.round(Math.max(...samples) * 10) / 10;
    return { name: `${name}, the longest stretch`, value, unit: "ms", target: 50, samples };
  };

  const rows: Row[] = [];
  for (const [name, prepare] of floods) {
    rows.push(await measured(name, (at) => prepare({ at, site: pages.site })));
  }
  rows.push(await measured("a folder of too many names", manyNames));
  await drone.end();
  pages.close();
  await Promise.all([server.stop(), model.stop()]);
  await rm(folder, { recursive: true, force: true });
  return rows;
}
