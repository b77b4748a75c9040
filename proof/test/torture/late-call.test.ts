import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "@gadget/testing/eventually";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Stack } from "../support/stack.ts";
import { isLong, someAtATime, spread } from "./scale.ts";

const every = Array.from({ length: 121 }, (_, index) => index * 25);
const delays = isLong ? every : spread(every, 21);
const callAtMs = 1_500;

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start({ capacity: 20 });
});
afterAll(() => stack.stop());

it(`A16 A29 a tool call at ${callAtMs} ms, aborted at ${delays.length} moments around it`, async () => {
  const asked = new Map<string, number>();
  const called = new Map<string, number>();
  const mustNotAppear: string[] = [];
  const faults: string[] = [];
  let finished = 0;
  stack.model.answer(async (call) => {
    const name = /late-\d+/.exec(call.prompt)?.[0] ?? "";
    if (call.toolResults.length > 0) {
      call.text("Done.");
      call.end();
      return;
    }
    asked.set(name, performance.now());
    call.begin();
    await delay(callAtMs);
    if (call.isClosed) {
      return;
    }
    called.set(name, performance.now());
    call.tool("shell", { command: `touch ${name}` });
    call.end();
  });
  await someAtATime(delays, 7, async (after) => {
    const name = `late-${after}`;
    const project = await stack.newProject(stack.droneAt());
    const { id } = await stack.submit(await stack.newSession(project), `Make ${name}.`);
    const at = await eventually("the model is asked", () => asked.get(name));
    await delay(Math.max(0, at + after - performance.now()));
    // Refused where the turn had ended already.
    await stack.cancel(id).catch(() => {});
    const acknowledged = performance.now();
    const { status } = await stack.settled(id);
    const marker = join(project.directory ?? "", name);
    const made = existsSync(marker);
    const ended = (await stack.events(id)).find((event) => event.type === "tool:end");
    const outcome = ended?.type === "tool:end" ? ended.outcome : "never_started";
    const early = acknowledged < (called.get(name) ?? Number.POSITIVE_INFINITY);
    if (early) {
      mustNotAppear.push(marker);
    }
    if (outcome === "finished") {
      finished += 1;
    }
    const honest = { never_started: !made, finished: made, cancelled: true, unknown: true };
    const isRight = outcome !== "failed" && honest[outcome];
    const ends = early ? ["aborted"] : ["aborted", "finished"];
    if (!isRight || !ends.includes(status) || (early && outcome === "finished")) {
      faults.push(`${name}: ${status}, ${outcome}, made: ${made}, aborted early: ${early}`);
    }
  });
  expect(faults).toEqual([]);
  expect(finished).toBeGreaterThan(0);
  await delay(1_000);
  for (const marker of mustNotAppear) {
    expect(existsSync(marker), marker).toBe(false);
  }
}, 240_000);
