import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isSettled, isTerminal, type Project, RefusalError, type TurnId } from "@gadget/api";
import { census } from "@gadget/testing/census";
import { eventually } from "@gadget/testing/eventually";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GitSite } from "../support/git-site.ts";
import { Stack } from "../support/stack.ts";
import { type TurnWatch, transcriptOf } from "../support/turn-watch.ts";
import { isLong, randomOf, seed, someAtATime, spread } from "./scale.ts";
import { scenes } from "./scenes.ts";
import { setStage } from "./stage.ts";

interface Case {
  name: string;
  /** When to abort: after so many events, or so many milliseconds after the prompt. */
  after: { events: number } | { ms: number };
}

const random = randomOf(seed);
const atBoundaries = Object.entries(scenes).flatMap(([name, { boundaries, moments = [] }]) => [
  ...Array.from(
    { length: boundaries },
    (_, index): Case => ({ name, after: { events: index + 1 } }),
  ),
  ...moments.map((ms): Case => ({ name, after: { ms } })),
]);
const names = Object.keys(scenes);
const atRandom = Array.from({ length: 200 }, (): Case => {
  const name = names[Math.floor(random() * names.length)] ?? "text";
  return { name, after: { ms: Math.floor(random() * 600) } };
});
const cases = isLong
  ? [...atBoundaries, ...atRandom]
  : [...spread(atBoundaries, 30), ...spread(atRandom, 10)];

/** A request for the summary of what was said before. */
const isSummary = (call: ModelCall) => call.prompt.includes("Write the summary");

let stack: Stack;
let site: GitSite;
const calls = new Map<string, ModelCall[]>();
beforeAll(async () => {
  site = await GitSite.start();
  stack = await Stack.start({ capacity: 20 });
  stack.model.answer((call) => {
    const [, key = "", name = ""] =
      /case (\d+): ([^.]+)\./.exec(JSON.stringify(call.request)) ?? [];
    calls.set(key, [...(calls.get(key) ?? []), call]);
    if (!isSummary(call) && call.prompt.includes("Go on.")) {
      call.text("Going on.");
      call.end();
      return undefined;
    }
    if (call.prompt.includes("Hold on.")) {
      call.tool("wait", { seconds: 300 });
      call.end();
      return undefined;
    }
    return scenes[name]?.answer(call);
  });
});
afterAll(async () => {
  await stack.stop();
  await site.stop();
});

it(`A2 A7 A13 A18 A29 A30 ${cases.length} aborts at event boundaries and random moments (seed ${seed})`, async () => {
  const faults: string[] = [];
  await someAtATime([...cases.entries()], 4, async ([index, one]) => {
    try {
      await abortOnce(index, one);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      faults.push(`${one.name} ${JSON.stringify(one.after)}: ${why}`);
    }
  });
  expect(faults).toEqual([]);
}, 900_000);

async function abortOnce(index: number, { name, after }: Case): Promise<void> {
  const scene = scenes[name];
  if (scene === undefined) {
    throw new Error(`There is no scene ${name}.`);
  }
  const stage = await setStage(stack, site, scene, `This is case ${index}: ${name}.`);
  const { folder, sessionId } = stage;
  const id = await stage.submit();
  const watch = stack.watch(id);
  await moment(watch, after);
  const refused = await stack.cancel(id).then(
    () => false,
    (error: unknown) => error instanceof RefusalError && error.code === "not_running",
  );
  const turn = await stack.settled(id);
  const ends = ["aborted", "finished", ...(refused ? ["error"] : [])];
  expect(ends).toContain(turn.status);
  await watch.ended;
  await checkEnd(id, watch);
  for (const call of calls.get(String(index)) ?? []) {
    await eventually("the model's connection closes", () => call.isClosed, 5_000);
  }
  expect(await census(folder)).toEqual([]);
  const before = calls.get(String(index)) ?? [];
  // What waits in the queue has asked no model.
  expect(scene.isQueued === true && before.length > 0).toBe(false);
  await stage.clear();

  const next = await stack.submit(sessionId, "Go on.");
  expect(await stack.settled(next.id)).toMatchObject({ status: "finished" });
  const asked = calls.get(String(index)) ?? [];
  checkHistory(asked.at(-1));
  expect(scene.isLong !== true || asked.some(isSummary)).toBe(true);
  await checkEnd(id, watch);
  await removeProject(stage.project);
}

/** Waits for the moment, or until the turn has come to where it waits or ends. */
async function moment(watch: TurnWatch, after: Case["after"]): Promise<void> {
  if ("ms" in after) {
    await delay(after.ms);
    return;
  }
  const patience = performance.now() + 1_500;
  await eventually("the boundary", () => {
    const last = watch.events.at(-1);
    const over = last !== undefined && isTerminal(last);
    return over || watch.seen.length >= after.events || performance.now() > patience;
  });
}

/** One terminal event, the last; what was shown is what a reload shows. */
async function checkEnd(id: TurnId, watch: TurnWatch): Promise<void> {
  const stored = await stack.events(id);
  expect(stored.filter(isTerminal)).toHaveLength(1);
  expect(stored.at(-1)).toSatisfy(isTerminal);
  expect(watch.faults).toEqual([]);
  expect(transcriptOf(id, watch.events)).toEqual(transcriptOf(id, stored));
  const { status } = await stack.turn(id);
  expect(isSettled(status)).toBe(true);
  expect(stored.at(-1)).toMatchObject({ status });
}

/** Every tool call in the history has exactly one result. */
function checkHistory(call: ModelCall | undefined): void {
  const messages = call?.request.messages ?? [];
  expect(messages.length).toBeGreaterThan(0);
  const asked = messages.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []);
  const answered = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
  expect(answered.toSorted()).toEqual(asked.toSorted());
}

async function removeProject({ directory }: Project): Promise<void> {
  if (directory !== undefined) {
    await rm(directory, { recursive: true, force: true });
  }
}
