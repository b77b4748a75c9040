import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { ask, ideCommands, ideNotices, isTerminal, subscribe, type TurnId } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import { openPage, type Page } from "../../gadget-code/test/page.ts";
import { root } from "../../packages/cli/test/support/build.ts";
import { PartProcess } from "../test/support/part-process.ts";
import { Stack } from "../test/support/stack.ts";
import { quantile, type Row, residentMb, row, sampled } from "./row.ts";

const turns = 200;
const drones = 2;
const tokens = 250;
const sockets = 1_000;

/** One node: 1,000 tabs that do nothing, then 200 turns at 50 tokens a second each. */
export async function bench(): Promise<Row[]> {
  const stack = await Stack.start({ drones: 0 });
  const moreMb = await idleTabs(stack);
  const latencies = await talkingAtOnce(stack);
  await stack.stop();
  return [
    sampled(
      row("200 turns at 50 tokens/s, token latency, p99", quantile(latencies, 0.99), "ms", 250),
      latencies,
    ),
    row("1,000 idle browser sockets, more memory", moreMb, "MB", 150),
  ];
}

async function talkingAtOnce(stack: Stack): Promise<number[]> {
  const page = await openPage(stack.urlOf(), { token: stack.token, cookie: "" });
  const latencies: number[] = [];
  const counts = new Map<TurnId, number>();
  let ended = 0;
  subscribe(
    page.socket,
    ideNotices,
    {
      turnEvents: ({ events }) => {
        const now = performance.timeOrigin + performance.now();
        for (const event of events) {
          if (isTerminal(event)) {
            ended += 1;
          }
          if (event.type !== "text:delta") {
            continue;
          }
          const stamps = event.text.trim().split(" ");
          for (const stamp of stamps) {
            latencies.push(now - Number(stamp));
          }
          counts.set(event.turnId, (counts.get(event.turnId) ?? 0) + stamps.length);
        }
      },
      turnChanged: () => {},
      workOrderComplete: () => {},
    },
    (_event, error) => {
      throw error;
    },
  );
  const processes: PartProcess[] = [];
  const sessions = [];
  for (let index = 0; index < drones; index += 1) {
    const { process, id } = await startDrone(stack);
    processes.push(process);
    for (let turn = 0; turn < turns / drones; turn += 1) {
      const signal = stack.signal();
      const body = { name: `Load ${index}-${turn}`, droneId: id };
      const { project } = await stack.client().request("createProject", { body, signal });
      const sessionId = await stack.newSession(project);
      await ask(page.socket, ideCommands, "joinSession", [{ sessionId }], 20_000);
      sessions.push(sessionId);
    }
  }
  await Promise.all(sessions.map((sessionId) => stack.submit(sessionId, "Talk.")));
  await eventually("all turns end", () => ended === turns, 60_000);
  if ([...counts.values()].some((count) => count !== tokens) || counts.size !== turns) {
    throw new Error("Tokens were lost.");
  }
  for (const process of processes) {
    await process.kill();
  }
  page.close();
  return latencies;
}

async function startDrone(stack: Stack) {
  const signal = stack.signal();
  const { code } = await stack.client().request("createEnrollment", { signal });
  const body = { code, name: "talking", host: "bench" };
  const { drone, credential } = await stack.client().request("enrollDrone", { body, signal });
  const script = fileURLToPath(new URL("./talking-drone.ts", import.meta.url));
  const tsx = createRequire(import.meta.url).resolve("tsx");
  const process = new PartProcess(() => ({
    args: ["--import", tsx, script, stack.urlOf(), drone.id, credential, String(tokens)],
    cwd: root,
    env: { PATH: globalThis.process.env["PATH"] ?? "" },
    ready: /is online/,
  }));
  await process.start();
  return { process, id: drone.id };
}

async function idleTabs(stack: Stack): Promise<number> {
  const { pid } = stack.nodeAt();
  const before = await residentMb(pid);
  const pages: Page[] = [];
  while (pages.length < sockets) {
    const some = Array.from({ length: 20 }, () =>
      openPage(stack.urlOf(), { token: stack.token, cookie: "" }),
    );
    pages.push(...(await Promise.all(some)));
  }
  const after = await residentMb(pid);
  for (const page of pages) {
    page.close();
  }
  return after - before;
}
