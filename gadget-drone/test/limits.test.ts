import { setTimeout as delay } from "node:timers/promises";
import { defineTool } from "@gadget/agent";
import { abortMessages, fullLog, turnLimits } from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import type { ModelCall } from "@gadget/testing/scripted-model";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { DroneToolContext } from "../src/tools/tool-context.ts";
import { TestDrone } from "./support/test-drone.ts";

const input = z.object({});
/** Does what no tool of ours does: it pays no heed to its signal. */
const stubborn = defineTool<typeof input, DroneToolContext>({
  name: "stubborn",
  description: "Takes seven seconds, whatever happens.",
  input,
  async run() {
    await delay(7_000);
    return "late-canary";
  },
});

let test: TestDrone;

beforeAll(async () => {
  test = await TestDrone.start({}, {}, { tools: [stubborn] });
});
afterAll(() => test.stop());
beforeEach(() => {
  test.model.calls.length = 0;
});

describe("A17 a tool that ignores its signal", () => {
  it("is named after 3 s, holds the end up for 5 s at most, and its late result is dropped", async () => {
    const { server, model, logs } = test;
    model.answerWithTools(["stubborn", {}], ["write_file", { path: "after", content: "" }]);
    const order = test.order();
    const { turnId } = order;
    await server.submit(order);
    await eventually("the call", () => server.eventsOf(turnId, "tool:input").at(-1)?.input);
    const begun = performance.now();
    expect((await server.abort(turnId)).message).toBe(abortMessages.signaled);
    expect(await server.event(turnId, "notice")).toMatchObject({
      level: "warning",
      text: "stubborn does not stop.",
    });
    expect(performance.now() - begun).toBeGreaterThan(2_900);
    const end = await server.completed(turnId);
    expect(end).toMatchObject({ success: true, message: "aborted" });
    expect(end.at - begun).toBeLessThan(5_500);
    const ends = server.eventsOf(turnId, "tool:end").map(({ outcome }) => outcome);
    expect(ends).toEqual(["unknown", "never_started"]);
    await eventually("the late end is logged", () => {
      return logs.some((line) => line.includes("A tool ended after its turn"));
    });
    expect(JSON.stringify(server.events(turnId))).not.toContain("late-canary");
    expect(server.turns.get(turnId)?.completions).toHaveLength(1);
  });
});

describe("A9 A28 one controller for each turn", () => {
  it("the end of one turn leaves the controllers of the others, and none is left at the end", async () => {
    const { server, model, drone } = test;
    const calls = new Map<string, ModelCall>();
    model.answer((call) => {
      calls.set(call.prompt, call);
      call.text("begun");
    });
    const orders = ["one", "two", "three"].map((prompt) => test.order({ prompt }));
    for (const order of orders) {
      expect(await server.submit(order)).toBe(true);
    }
    await eventually("all are asked", () => calls.size === 3);
    const [one, two, three] = orders;
    if (!one || !two || !three) {
      throw new Error("no orders");
    }
    calls.get('"one"')?.end();
    expect(await server.completed(one.turnId)).toMatchObject({ message: undefined });
    expect((await server.abort(one.turnId)).message).toBe(abortMessages.notRunning);
    expect(calls.get('"two"')?.isClosed).toBe(false);
    expect((await server.abort(two.turnId)).message).toBe(abortMessages.signaled);
    expect(await server.completed(two.turnId)).toMatchObject({ message: "aborted" });
    expect(calls.get('"three"')?.isClosed).toBe(false);
    expect((await server.abort(three.turnId)).message).toBe(abortMessages.signaled);
    expect(await server.completed(three.turnId)).toMatchObject({ message: "aborted" });
    await eventually("none is left", () => drone.running === 0);
    // The same session again: a new turn, a controller of its own, and no memory of the abort.
    model.answer((call) => call.end());
    const next = test.order({ sessionId: two.sessionId });
    expect(await server.submit(next)).toBe(true);
    expect(await server.completed(next.turnId)).toMatchObject({ message: undefined });
  });
});

describe("steps", () => {
  it("end at 200, after warnings at 5 and 2, as finished with a notice", async () => {
    const { server, model } = test;
    model.answer((call) => {
      call.tool("todo", { items: [] });
      call.end();
    });
    const order = test.order();
    await server.submit(order);
    const end = await server.completed(order.turnId, 50_000);
    expect(end).toMatchObject({ success: true, message: undefined });
    expect(model.calls).toHaveLength(200);
    const warned = model.calls.flatMap(({ request }, index) => {
      const last = JSON.stringify(request.messages.at(-1)?.content);
      return last.includes("steps are left") ? [index + 1] : [];
    });
    expect(warned).toEqual([196, 199]);
    expect(server.eventsOf(order.turnId, "notice")).toMatchObject([{ code: "step_limit" }]);
  });
});

describe("a turn's log", () => {
  it("has an end: the turn stops before its next step and says why", async () => {
    const { server, model } = test;
    model.answer((call) => {
      call.text("x".repeat(700_000));
      call.tool("todo", { items: [] });
      call.end();
    });
    const order = test.order();
    await server.submit(order);
    expect(await server.completed(order.turnId, 55_000)).toMatchObject({
      success: false,
      message: fullLog,
    });
    const kept = server.eventsOf(order.turnId, "text:end");
    expect(JSON.stringify(kept).length).toBeLessThan(turnLimits.logCharacters);
  });
});

describe("subagents", () => {
  it("A27 A28 five at once, three deep, also for the turn's own agent", async () => {
    const { server, model } = test;
    const deepest: boolean[] = [];
    let [now, most, children] = [0, 0, 0];
    model.answer(async (call) => {
      const answered = call.toolResults.length > 0;
      if (call.prompt.includes("leaf")) {
        children += 1;
        most = Math.max(most, ++now);
        await delay(300);
        now -= 1;
        call.text("leaf done");
      } else if (answered) {
        call.text("Done.");
      } else if (call.prompt.includes("level 3")) {
        deepest.push(JSON.stringify(call.request.tools).includes("spawn_agent"));
        call.text("deep enough");
      } else if (call.prompt.includes("level ")) {
        const level = Number(/level (\d)/.exec(call.prompt)?.[1]) + 1;
        call.tool("spawn_agent", { title: "deeper", task: `level ${level}` });
      } else {
        const agents = [1, 2, 3, 4].map((n) => ({ title: `leaf ${n}`, task: `leaf ${n}` }));
        call.tool("spawn_agents", { agents });
        call.tool("spawn_agents", { agents });
        call.tool("spawn_agent", { title: "deep", task: "level 1" });
      }
      call.end();
    });
    const order = test.order();
    await server.submit(order);
    expect(await server.completed(order.turnId, 30_000)).toMatchObject({ success: true });
    expect([children, most]).toEqual([8, expect.any(Number)]);
    expect(most).toBeLessThanOrEqual(5);
    expect(deepest).toEqual([false]);
    const depths = server.eventsOf(order.turnId, "subagent:start").map(({ depth }) => depth);
    expect(Math.max(...depths)).toBe(3);
  });

  it("A8 a result that comes after its parent's end is an orphan, and starts no model call", async () => {
    const { server, model } = test;
    let child: ModelCall | undefined;
    model.answer((call) => {
      if (call.prompt.includes("slow child")) {
        child = call;
        return;
      }
      if (call.toolResults.length > 0) {
        call.text("I end now.");
      } else {
        const task = { title: "slow child", task: "slow child", background: true };
        call.tool("spawn_agent", { ...task, critical: true });
      }
      call.end();
    });
    const order = test.order();
    const { turnId } = order;
    await server.submit(order);
    await server.event(turnId, "text:end");
    const asked = await eventually("the child asks", () => child);
    const before = model.calls.length;
    asked.text("too late");
    asked.end();
    const orphan = await server.event(turnId, "subagent:orphan");
    expect(orphan.text).toContain("too late");
    expect(orphan.reason).toMatch(/parent/);
    expect(await server.completed(turnId)).toMatchObject({ message: undefined });
    expect(model.calls).toHaveLength(before);
  });

  it("write files at the same time, and each write is recorded", async () => {
    const { server, model } = test;
    model.answer((call) => {
      const child = /writer (\d)/.exec(call.prompt)?.[1];
      if (call.toolResults.length > 0) {
        call.text("Done.");
      } else if (child !== undefined) {
        for (let n = 0; n < 8; n++) {
          call.tool("write_file", { path: `${child}-${n}`, content: `${child} ${n}\n` });
        }
      } else {
        const agents = [1, 2, 3, 4, 5].map((n) => ({ title: `w${n}`, task: `writer ${n}` }));
        call.tool("spawn_agents", { agents });
      }
      call.end();
    });
    const order = test.order();
    const { turnId } = order;
    await server.submit(order);
    await server.completed(turnId);
    const writes = server.eventsOf(turnId, "tool:end").filter(({ name }) => name === "write_file");
    expect(writes.filter(({ outcome }) => outcome !== "finished")).toEqual([]);
    expect(writes).toHaveLength(40);
    const { source } = order.workspace;
    const { files } = await server.ask("turnDiff", [{ turnId, source }]);
    expect(files).toHaveLength(40);
  });
});
