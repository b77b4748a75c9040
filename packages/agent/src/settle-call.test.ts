import type { AiToolCall } from "@gadget/ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { echo, hang } from "../test/agent-fixture.ts";
import { aborted } from "../test/scripted-provider.ts";
import type { AgentEvent } from "./agent-event.ts";
import { type AgentTool, defineTool, type ToolContext } from "./define-tool.ts";
import { type CallScope, settleCall } from "./settle-call.ts";

function setUp(tools: AgentTool[], overrides: Partial<CallScope<ToolContext>> = {}) {
  const turn = new AbortController();
  const events: AgentEvent[] = [];
  const log: string[] = [];
  let announce = () => {};
  const running = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const scope: CallScope<ToolContext> = {
    agentId: "root",
    signal: turn.signal,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    contextFor: (base) => base,
    resultLimit: () => Promise.resolve(Number.POSITIVE_INFINITY),
    authorize: () => Promise.resolve({ allowed: true }),
    emit: (event) => {
      events.push(event);
      if (event.type === "tool:run") {
        announce();
      }
    },
    cancels: new Map(),
    abortWarningMs: 20,
    abortDeadlineMs: 60,
    onAbortTimeout: ({ name }) => log.push(`warned: ${name}`),
    onLateResult: ({ name }) => log.push(`late: ${name}`),
    ...overrides,
  };
  const settle = (name: string, input: Record<string, unknown> = {}) =>
    settleCall(call(name, input), scope);
  return {
    turn,
    events,
    log,
    scope,
    settle,
    running,
    types: () => events.map((event) => event.type),
  };
}

function call(name: string, value: Record<string, unknown> = {}): AiToolCall {
  return { type: "toolcall", id: "c1", name, arguments: { ok: true, value } };
}

const custom = (run: (context: ToolContext) => Promise<string>, timeoutMs: number | null = null) =>
  defineTool({
    name: "custom",
    description: "",
    input: z.object({}),
    timeoutMs,
    run: (_, context) => run(context),
  });

describe("settleCall", () => {
  it("gives the result to the model and tells of the run", async () => {
    const { settle, events } = setUp([echo]);
    const message = await settle("echo", { text: "hi" });
    expect(message).toEqual({
      role: "tool",
      callId: "c1",
      content: "echo: hi",
      outcome: "finished",
    });
    expect(events).toMatchObject([
      { type: "tool:run", callId: "c1", name: "echo", input: { text: "hi" } },
      { type: "tool:end", outcome: "finished", text: "echo: hi", input: { text: "hi" } },
    ]);
  });

  it("tells the model of an unknown tool, bad arguments and a failure", async () => {
    const { settle, scope } = setUp([echo, custom(() => Promise.reject(new Error("no disk")))]);
    expect(await settle("nope")).toMatchObject({ content: expect.stringContaining("nope") });
    expect(await settle("echo", { text: 7 })).toMatchObject({
      content: expect.stringContaining("text"),
    });
    const cut: AiToolCall = {
      ...call("echo"),
      arguments: { ok: false, text: '{"te', error: "The JSON ends too early." },
    };
    expect(await settleCall(cut, scope)).toMatchObject({
      content: expect.stringContaining("The JSON ends too early."),
    });
    expect(await settle("custom")).toMatchObject({ content: "no disk", outcome: "finished" });
  });

  it("keeps head and tail of a long result", async () => {
    const long = `first ${"x".repeat(100_000)} last`;
    const { settle } = setUp([custom(() => Promise.resolve(long))]);
    const { content } = await settle("custom");
    expect(content).toMatch(/^first x+\n\[\.\.\. \d+ characters left out \.\.\.\]\nx+ last$/);
    expect(content.length).toBeLessThan(31_000);
  });

  it("hands on live output, in limits, and none after the end", async () => {
    let late: (text: string) => void = () => {};
    const { settle, events } = setUp([
      custom(async ({ output }) => {
        output("a");
        output("b".repeat(1_200_000));
        output("c");
        late = output;
        return "done";
      }),
    ]);
    await settle("custom");
    late("too late");
    const output = events.flatMap((event) => (event.type === "tool:output" ? [event.text] : []));
    expect(output).toHaveLength(2);
    expect(output[1]).toMatch(/further output is not shown/);
  });

  it("counts the time of the run alone, and none for what never ran", async () => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 200));
    const allowed = setUp([echo], {
      authorize: async () => {
        await slow();
        return { allowed: true };
      },
    });
    await allowed.settle("echo", { text: "hi" });
    expect(allowed.events.at(-1)).toMatchObject({
      type: "tool:end",
      durationMs: expect.any(Number),
    });
    expect(Reflect.get(allowed.events.at(-1) ?? {}, "durationMs")).toBeLessThan(150);
    const denied = setUp([echo], {
      authorize: async () => ({ allowed: false, reason: "no" }),
    });
    await denied.settle("echo", { text: "hi" });
    expect(denied.events.at(-1)).toMatchObject({ outcome: "never_started" });
    expect(denied.events.at(-1)).not.toHaveProperty("durationMs");
  });

  it("A16 never starts a call that arrives after the abort", async () => {
    let ran = false;
    const { turn, settle, types } = setUp([
      custom(async () => {
        ran = true;
        return "";
      }),
    ]);
    turn.abort();
    const message = await settle("custom");
    expect(message).toMatchObject({ outcome: "never_started" });
    expect(message.content).toMatch(/never started.*aborted the turn/s);
    expect(ran).toBe(false);
    expect(types()).toEqual(["tool:end"]);
  });

  it("A16 A22 asks for no permission after the abort", async () => {
    let asked = false;
    const authorize = () => {
      asked = true;
      return Promise.resolve({ allowed: true as const });
    };
    const { turn, settle } = setUp([echo], { authorize });
    turn.abort();
    expect(await settle("echo", { text: "x" })).toMatchObject({ outcome: "never_started" });
    expect(asked).toBe(false);
  });

  it("A16 checks the signal again after the permission came", async () => {
    let ran = false;
    const tool = custom(async () => {
      ran = true;
      return "";
    });
    const { turn, settle } = setUp([tool], {
      authorize: async () => {
        turn.abort();
        return { allowed: true };
      },
    });
    expect(await settle("custom")).toMatchObject({ outcome: "never_started" });
    expect(ran).toBe(false);
  });

  it("A10 A22 ends the waiting for a permission with the turn", async () => {
    const { turn, settle, types } = setUp([echo], { authorize: () => new Promise(() => {}) });
    const settled = settle("echo", { text: "hi" });
    turn.abort();
    expect(await settled).toMatchObject({ outcome: "never_started" });
    expect(types()).toEqual(["tool:end"]);
  });

  it("tells the model why a call was not allowed", async () => {
    const authorize = () => Promise.resolve({ allowed: false as const, reason: "not on Fridays" });
    const { settle, types } = setUp([echo], { authorize });
    const message = await settle("echo", { text: "hi" });
    expect(message).toMatchObject({ outcome: "never_started" });
    expect(message.content).toMatch(/not allowed: not on Fridays/);
    expect(types()).toEqual(["tool:end"]);
  });

  it("A15 A29 an aborted tool is cancelled, not failed, and its outcome is said to be unknown", async () => {
    const throwing = custom(async ({ signal }) => {
      await aborted(signal);
      throw new TypeError("fetch failed");
    });
    for (const [tool, partial] of [[hang, "half done"] as const, [throwing, ""] as const]) {
      const { turn, settle, events, running } = setUp([tool]);
      const settled = settle(tool.name);
      await running;
      turn.abort();
      const message = await settled;
      expect(message).toMatchObject({ outcome: "unknown" });
      expect(message.content).toMatch(/unknown.*may have run.*aborted the turn/s);
      expect(message.content).toContain(partial);
      expect(events.at(-1)).toMatchObject({ type: "tool:end", outcome: "cancelled" });
    }
  });

  it("A11 an error that calls itself AbortError is a failure while nobody aborted", async () => {
    const { settle, events } = setUp([
      custom(() => Promise.reject(new DOMException("The operation was aborted", "AbortError"))),
    ]);
    await settle("custom");
    expect(events.at(-1)).toMatchObject({ outcome: "failed", text: "The operation was aborted" });
  });

  it("A29 a tool that was done when the abort came has finished", async () => {
    const { turn, settle, events } = setUp([
      custom(async () => {
        turn.abort();
        return "written";
      }),
    ]);
    expect(await settle("custom")).toMatchObject({ content: "written", outcome: "finished" });
    expect(events.at(-1)).toMatchObject({ outcome: "finished" });
  });

  it("A17 does not wait past the deadline for a tool that ignores its signal", async () => {
    let finishLate: (text: string) => void = () => {};
    const stubborn = custom(
      () =>
        new Promise((resolve) => {
          finishLate = resolve;
        }),
    );
    const { turn, settle, log, events, types, running } = setUp([stubborn]);
    const settled = settle("custom");
    await running;
    const begun = performance.now();
    turn.abort();
    const message = await settled;
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(message).toMatchObject({ outcome: "unknown" });
    expect(events.at(-1)).toMatchObject({ type: "tool:end", outcome: "unknown" });
    expect(log).toEqual(["warned: custom"]);
    finishLate("too late");
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(["warned: custom", "late: custom"]);
    expect(types().filter((type) => type === "tool:end")).toHaveLength(1);
  });

  it("A25 stops one call, and the turn's signal stays as it is", async () => {
    const { settle, scope, turn, events, running } = setUp([hang]);
    const settled = settle("hang");
    await running;
    scope.cancels.get("c1")?.();
    const message = await settled;
    expect(message.content).toMatch(/The user stopped this call; the turn goes on/);
    expect(events.at(-1)).toMatchObject({ outcome: "cancelled" });
    expect(turn.signal.aborted).toBe(false);
    expect(scope.cancels.size).toBe(0);
  });

  it("stops a tool at its time limit and says so", async () => {
    const tool = custom(async ({ signal }) => {
      await aborted(signal);
      throw new Error("stopped");
    }, 30);
    const { settle, events } = setUp([tool]);
    const message = await settle("custom");
    expect(message.content).toMatch(/time limit of 0.03 s/);
    expect(events.at(-1)).toMatchObject({ outcome: "failed" });
  });

  it("answers an unknown tool with the names that there are", async () => {
    const { settle } = setUp([echo, hang]);
    const { content } = await settle("ech");
    expect(content).toBe("There is no tool named ech. There are: echo, hang.");
  });

  it("settles once even when its context can't be made", async () => {
    const contextFor = () => {
      throw new Error("no workspace");
    };
    const { settle, types } = setUp([echo], { contextFor });
    expect(await settle("echo", { text: "x" })).toMatchObject({ content: "no workspace" });
    expect(types()).toEqual(["tool:run", "tool:end"]);
  });
});
