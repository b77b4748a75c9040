import { makeFailure } from "@gadget/ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkHistory, echo, hang, ofType, startRun, toolEnds } from "../test/agent-fixture.ts";
import { aborted, ScriptedProvider } from "../test/scripted-provider.ts";
import { defineTool } from "./define-tool.ts";
import type { PrepareHistory } from "./run-loop.ts";

const never = new Promise<never>(() => {});

/** A tool that waits until the test lets it go on, and writes down when it began and ended. */
function gate(name: string, readOnly: boolean, log: string[]) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool = defineTool({
    name,
    description: "",
    input: z.object({}),
    readOnly,
    async run(_, { signal }) {
      log.push(`${name} begins`);
      await Promise.race([opened, aborted(signal)]);
      log.push(`${name} ends`);
      return signal.aborted ? { text: name, stopped: true } : name;
    },
  });
  return { tool, open };
}

describe("an agent's turn", () => {
  it("asks, runs the tools, asks again, and ends", async () => {
    const provider = new ScriptedProvider([
      { text: "Let me see.", calls: [{ id: "c1", name: "echo", input: { text: "hi" } }] },
      { text: "Done." },
    ]);
    const { done, messages } = startRun(provider, { tools: [echo] });
    const events = await done;
    expect(events.map((event) => event.type).join(" ")).toBe(
      "step text:start text:delta toolcall:start text:end toolcall:end usage tool:run tool:end " +
        "step text:start text:delta text:end usage end",
    );
    expect(events.at(-1)).toEqual({ type: "end", reason: "finished", undelivered: [] });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(provider.requests[1]?.messages).toHaveLength(3);
  });

  it("ends with a provider's failure as a value, and closes what was open", async () => {
    const failure = makeFailure("overloaded");
    const calls = [{ id: "c1", name: "echo" }];
    const provider = new ScriptedProvider([{ text: "Half", calls, failure }]);
    const { done, messages } = startRun(provider, { tools: [echo] });
    const events = await done;
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "failed", failure });
    expect(ofType(events, "text:end")).toEqual([{ type: "text:end", id: "text-0", text: "Half" }]);
    expect(toolEnds(events)).toMatchObject([{ callId: "c1", outcome: "never_started" }]);
    expect(ofType(events, "usage")).toHaveLength(1);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", interrupted: true });
  });

  it("A11 A15 an abort in mid-answer ends aborted, and keeps what had come", async () => {
    const provider = new ScriptedProvider([{ text: "Once upon", until: never }]);
    const { done, seen, controller, messages } = startRun(provider);
    await seen((event) => event.type === "text:delta");
    controller.abort();
    const events = await done;
    expect(events.at(-1)).toEqual({ type: "end", reason: "aborted", undelivered: [] });
    expect(ofType(events, "text:end")).toMatchObject([{ text: "Once upon" }]);
    expect(messages.at(-1)).toMatchObject({ content: [{ text: "Once upon" }], interrupted: true });
  });

  it("A6 makes no model call when it was aborted before", async () => {
    const provider = new ScriptedProvider([{ text: "no" }]);
    const { done } = startRun(provider, { signal: AbortSignal.abort() });
    expect(await done).toEqual([{ type: "end", reason: "aborted", undelivered: [] }]);
    expect(provider.requests).toHaveLength(0);
  });

  it("A11 a provider that reports an abort which nobody asked for has failed", async () => {
    const provider = new ScriptedProvider([{ failure: makeFailure("aborted") }]);
    const events = await startRun(provider).done;
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "failed" });
  });

  it("A16 A29 an abort during the first of three calls leaves three honest results", async () => {
    const ids = ["c1", "c2", "c3"];
    const provider = new ScriptedProvider([{ calls: ids.map((id) => ({ id, name: "hang" })) }]);
    const { done, seen, controller, messages } = startRun(provider, { tools: [hang] });
    await seen((event) => event.type === "tool:output");
    controller.abort();
    const ends = toolEnds(await done);
    expect(ends.map((end) => [end.callId, end.outcome])).toEqual([
      ["c1", "cancelled"],
      ["c2", "never_started"],
      ["c3", "never_started"],
    ]);
    checkHistory(messages);
    expect(provider.requests).toHaveLength(1);
  });

  it("A25 goes on after one call was cancelled, and tells the model", async () => {
    const calls = [
      { id: "c1", name: "hang" },
      { id: "c2", name: "hang" },
    ];
    const provider = new ScriptedProvider([{ calls }, { text: "I see." }]);
    const { run, done, seen } = startRun(provider, { tools: [hang] });
    await seen((event) => event.type === "tool:output");
    expect(run.cancelTool("c2")).toBe(true);
    expect(run.cancelTool("c1")).toBe(true);
    expect(run.cancelTool("other")).toBe(false);
    const events = await done;
    expect(events.at(-1)).toMatchObject({ reason: "finished" });
    expect(toolEnds(events).map((end) => end.outcome)).toEqual(["cancelled", "never_started"]);
    const told = provider.requests[1]?.messages.filter((message) => message.role === "tool");
    expect(told?.map((message) => message.content)).toEqual([
      expect.stringContaining("The user stopped this call; the turn goes on."),
      expect.stringContaining("The user cancelled this call; the turn goes on."),
    ]);
    expect(run.cancelTool("c1")).toBe(false);
  });

  it("runs neighbouring reading calls at once, and writing calls alone and in order", async () => {
    const log: string[] = [];
    const readA = gate("readA", true, log);
    const readB = gate("readB", true, log);
    const write = gate("write", false, log);
    const calls = ["readA", "readB", "write", "readA"].map((name, n) => ({ id: `c${n}`, name }));
    const provider = new ScriptedProvider([{ calls }, {}]);
    const tools = [readA.tool, readB.tool, write.tool];
    const { done, seen, messages } = startRun(provider, { tools });
    await seen((event) => event.type === "tool:run" && event.name === "readB");
    readB.open();
    await seen((event) => event.type === "tool:end" && event.name === "readB");
    readA.open();
    write.open();
    await done;
    expect(log.join(", ")).toBe(
      "readA begins, readB begins, readB ends, readA ends, " +
        "write begins, write ends, readA begins, readA ends",
    );
    const results = messages.flatMap((message) =>
      message.role === "tool" ? [message.callId] : [],
    );
    expect(results).toEqual(["c0", "c1", "c2", "c3"]);
  });

  it("takes a steering message before the next model call and skips what had not begun", async () => {
    const log: string[] = [];
    const first = gate("first", false, log);
    const calls = [
      { id: "c1", name: "first" },
      { id: "c2", name: "echo", input: { text: "x" } },
    ];
    const provider = new ScriptedProvider([{ calls }, { text: "As you wish." }]);
    const { run, done, seen, messages } = startRun(provider, { tools: [first.tool, echo] });
    await seen((event) => event.type === "tool:run");
    run.steer({ messageId: "m1", text: "Other way round" });
    first.open();
    const events = await done;
    expect(toolEnds(events)).toMatchObject([
      { callId: "c1", outcome: "finished" },
      {
        callId: "c2",
        outcome: "never_started",
        text: expect.stringMatching(/user sent a message/),
      },
    ]);
    expect(ofType(events, "message:steered")).toMatchObject([{ messageId: "m1" }]);
    expect(provider.requests[1]?.messages.at(-1)).toEqual({
      role: "user",
      content: "Other way round",
      pinned: true,
    });
    checkHistory(messages);
  });

  it("goes on for a steering message that comes during the last answer", async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const provider = new ScriptedProvider([{ text: "Bye", until }, { text: "Well, then." }]);
    const { run, done, seen } = startRun(provider);
    await seen((event) => event.type === "text:delta");
    run.steer({ messageId: "m1", text: "Wait" });
    release();
    expect((await done).at(-1)).toMatchObject({ reason: "finished", undelivered: [] });
    expect(provider.requests).toHaveLength(2);
  });

  it("A8 gives back a steering message that no model call took", async () => {
    const provider = new ScriptedProvider([{ text: "Once", until: never }]);
    const { run, done, seen, controller } = startRun(provider);
    await seen((event) => event.type === "text:delta");
    run.steer({ messageId: "m1", text: "Late" });
    controller.abort();
    expect((await done).at(-1)).toMatchObject({
      reason: "aborted",
      undelivered: [{ messageId: "m1", text: "Late" }],
    });
  });

  it("finishes up: no new tools, one model call without any, the end", async () => {
    const log: string[] = [];
    const first = gate("first", false, log);
    const second = gate("second", false, log);
    const calls = ["first", "second"].map((name) => ({ id: name, name }));
    const provider = new ScriptedProvider([{ calls }, { text: "So far." }, { text: "never" }]);
    const tools = [first.tool, second.tool];
    const { run, done, seen, messages } = startRun(provider, { tools });
    await seen((event) => event.type === "tool:run");
    run.finish();
    first.open();
    const events = await done;
    expect(log).toEqual(["first begins", "first ends"]);
    expect(provider.requests.map((request) => request.tools)).toEqual([["first", "second"], []]);
    expect(toolEnds(events).map((end) => end.outcome)).toEqual(["finished", "never_started"]);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "finished" });
    checkHistory(messages);
  });

  it("an abort still works while it finishes up", async () => {
    const provider = new ScriptedProvider([{ text: "Last words", until: never }]);
    const { run, done, seen, controller } = startRun(provider);
    run.finish();
    await seen((event) => event.type === "text:delta");
    controller.abort();
    expect((await done).at(-1)).toMatchObject({ reason: "aborted" });
  });

  it("warns the model at 5 and 2 steps left and ends at the limit with a notice", async () => {
    const provider = new ScriptedProvider((_, index) => ({
      calls: [{ id: `c${index}`, name: "echo", input: { text: "again" } }],
    }));
    const { done, messages } = startRun(provider, { tools: [echo], stepLimit: 7 });
    const events = await done;
    expect(provider.requests).toHaveLength(7);
    const warned = provider.requests.flatMap(({ messages: sent }, index) => {
      return /steps are left/.test(JSON.stringify(sent.at(-1))) ? [index + 1] : [];
    });
    expect(warned).toEqual([3, 6]);
    expect(ofType(events, "notice")).toMatchObject([{ code: "step_limit" }]);
    expect(events.at(-1)).toMatchObject({ reason: "finished" });
    checkHistory(messages);
  });

  it("has a limit of 200 steps", async () => {
    const provider = new ScriptedProvider((_, index) => ({
      calls: [{ id: `c${index}`, name: "echo", input: { text: "again" } }],
    }));
    await startRun(provider, { tools: [echo] }).done;
    expect(provider.requests).toHaveLength(200);
  });

  it("asks before each call, and lets the drone shape the history", async () => {
    const calls = [{ id: "c1", name: "echo", input: { text: "x" } }];
    const provider = new ScriptedProvider([{ calls }, {}]);
    const asked: unknown[] = [];
    const { done } = startRun(provider, {
      tools: [echo],
      authorize: async (call) => {
        asked.push(call);
        return { allowed: false, reason: "no" };
      },
      prepareHistory: async (messages) => ({ ok: true, value: messages.slice(-2) }),
    });
    expect(toolEnds(await done)).toMatchObject([{ outcome: "never_started" }]);
    expect(asked).toEqual([
      { callId: "c1", agentId: "root", name: "echo", input: { text: "x" }, readOnly: true },
    ]);
    expect(provider.requests[1]?.messages).toHaveLength(2);
  });

  it("asks once more with what fits, when the server finds that it does not", async () => {
    const failure = makeFailure("context_too_long");
    const provider = new ScriptedProvider([{ failure }, { text: "Done" }]);
    const { done, messages } = startRun(provider, {
      prepareHistory: async (all, _, refused) => ({ ok: true, value: refused ? [] : all }),
    });
    expect((await done).at(-1)).toMatchObject({ reason: "finished" });
    expect(provider.requests.map((request) => request.messages.length)).toEqual([1, 0]);
    expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(1);
  });

  it("asks no third time, and never after something was shown", async () => {
    const failure = makeFailure("context_too_long");
    const prepareHistory: PrepareHistory = async (value) => ({ ok: true, value });
    const twice = new ScriptedProvider(() => ({ failure }));
    expect((await startRun(twice, { prepareHistory }).done).at(-1)).toMatchObject({ failure });
    expect(twice.requests).toHaveLength(2);
    const shown = new ScriptedProvider(() => ({ text: "Well", failure }));
    expect((await startRun(shown, { prepareHistory }).done).at(-1)).toMatchObject({ failure });
    expect(shown.requests).toHaveLength(1);
  });

  it("ends with what its history says when nothing can be sent", async () => {
    const failure = makeFailure("context_too_long", { message: "Too long." });
    const provider = new ScriptedProvider([]);
    const { done } = startRun(provider, { prepareHistory: async () => ({ ok: false, failure }) });
    expect((await done).at(-1)).toMatchObject({ reason: "failed", failure });
    expect(provider.requests).toHaveLength(0);
  });

  it("lets the drone limit results by what is beside them", async () => {
    const call = (id: string) => ({ id, name: "echo", input: { text: "x".repeat(100) } });
    const asked: unknown[] = [];
    const provider = new ScriptedProvider([
      { calls: [call("a"), call("b"), { id: "c", name: "write", input: {} }] },
      {},
    ]);
    const write = defineTool({
      name: "write",
      description: "",
      input: z.object({}),
      run: (_, { maxCharacters }) => Promise.resolve(`may say ${maxCharacters}`),
    });
    const { done } = startRun(provider, {
      tools: [echo, write],
      resultLimit: async (beside) => {
        asked.push(beside);
        return 50;
      },
    });
    const texts = toolEnds(await done).map(({ text }) => text);
    expect(asked).toEqual([
      { characters: 0, atOnce: 2 },
      { characters: (texts[0]?.length ?? 0) * 2, atOnce: 1 },
    ]);
    expect(texts[0]).toContain("characters left out");
    expect(texts[2]).toBe("may say 50");
  });

  it("lets a bug through to its caller", async () => {
    const provider = new ScriptedProvider(() => {
      throw new Error("a bug");
    });
    await expect(startRun(provider).done).rejects.toThrow("a bug");
  });

  it("A11 what breaks after the abort is the abort", async () => {
    const controller = new AbortController();
    const { done } = startRun(new ScriptedProvider([]), {
      signal: controller.signal,
      prepareHistory: async (messages, signal) => {
        controller.abort();
        signal.throwIfAborted();
        return { ok: true, value: messages };
      },
    });
    expect((await done).at(-1)).toMatchObject({ type: "end", reason: "aborted" });
  });
});
