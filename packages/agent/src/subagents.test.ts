import { type IAiChatOptions, makeFailure } from "@gadget/ai";
import { describe, expect, it } from "vitest";
import {
  checkHistory,
  echo,
  hang,
  ofType,
  type Seen,
  startRun,
  toolEnds,
} from "../test/agent-fixture.ts";
import { type Script, type ScriptedAnswer, ScriptedProvider } from "../test/scripted-provider.ts";
import { type SubagentLimits, subagentLimits } from "./subagents.ts";

const never = new Promise<never>(() => {});
const tools = [echo, hang];

/** What the agent that asks was told to do: the text of its first message. */
function taskOf({ messages }: IAiChatOptions): string {
  const task = messages.find((message) => message.role === "user");
  return typeof task?.content === "string" ? task.content : "";
}

/** Answers by task, each task with its own row of answers. */
function byTask(answers: Record<string, ScriptedAnswer[]>): Script {
  const asked = new Map<string, number>();
  return (options) => {
    const task = taskOf(options);
    const index = asked.get(task) ?? 0;
    asked.set(task, index + 1);
    return answers[task]?.[index] ?? { text: `unscripted: ${task}` };
  };
}

function start(script: Script, limits: Partial<SubagentLimits> = {}) {
  const provider = new ScriptedProvider(script);
  const subagents = { tools, system: "You are a subagent.", limits };
  return { provider, ...startRun(provider, { tools, subagents, abortDeadlineMs: 1000 }) };
}

const spawn = (id: string, task: string, more: Record<string, unknown> = {}) => ({
  id,
  name: "spawn_agent",
  input: { title: task, task, ...more },
});
const group = (id: string, ...tasks: string[]) => ({
  id,
  name: "spawn_agents",
  input: { agents: tasks.map((task) => ({ title: task, task })) },
});
const childEnds = (events: readonly Seen[]) => ofType(events, "subagent:end");
const childText = (text: string) => (event: Seen) =>
  event.type === "subagent:event" && event.event.type === "text:delta" && event.event.text === text;

describe("subagents", () => {
  it("have a context of their own and give back their last words", async () => {
    const { done, provider, messages } = start(
      byTask({
        Go: [{ calls: [spawn("c1", "Count")] }, { text: "It counted." }],
        Count: [{ calls: [{ id: "c1", name: "echo", input: { text: "4" } }] }, { text: "Four." }],
      }),
    );
    const events = await done;
    expect(toolEnds(events)).toMatchObject([{ callId: "c1", outcome: "finished", text: "Four." }]);
    const [begin] = ofType(events, "subagent:start");
    expect(begin).toMatchObject({ parentId: "root", depth: 1, title: "Count", critical: false });
    expect(childEnds(events)).toMatchObject([{ childId: begin?.childId, outcome: "finished" }]);
    const wrapped = ofType(events, "subagent:event").map(({ event }) => event.type);
    expect(wrapped).toContain("tool:end");
    expect(wrapped).not.toContain("end");
    expect(provider.requests[1]?.messages).toEqual([
      { role: "system", content: "You are a subagent." },
      { role: "user", content: "Count" },
    ]);
    checkHistory(messages);
  });

  it("send at most 50 messages of their history", async () => {
    const { done, provider } = start((options, index) => {
      if (taskOf(options) === "Go") {
        return index === 0 ? { calls: [spawn("c1", "Long")] } : {};
      }
      return index > 40
        ? { text: "enough" }
        : { calls: [{ id: `e${index}`, name: "echo", input: { text: "x" } }] };
    });
    await done;
    const lengths = provider.requests.slice(1, -1).map(({ messages }) => messages.length);
    expect(Math.max(...lengths)).toBe(50);
    expect(lengths.length).toBeGreaterThan(40);
  });

  it("may use the tools that they were given, and no others", async () => {
    const { done, provider } = start(
      byTask({ Go: [{ calls: [spawn("c1", "Look", { tools: ["echo"] })] }] }),
    );
    await done;
    expect(provider.requests[1]?.tools).toEqual(["echo", "spawn_agent", "spawn_agents"]);
  });

  it("A26 a hard abort reaches every depth, children end first, and none is left", async () => {
    const { done, seen, controller, messages } = start(
      byTask({
        Go: [{ calls: [spawn("a", "One")] }],
        One: [{ calls: [spawn("b", "Two"), spawn("bg", "Side", { background: true })] }],
        Two: [{ calls: [spawn("c", "Three")] }],
        Three: [{ text: "deep", calls: [{ id: "h", name: "hang" }] }],
        Side: [{ text: "side", until: never }],
      }),
    );
    await seen((event) => event.type === "subagent:event" && event.event.type === "tool:output");
    await seen(childText("side"));
    controller.abort();
    const events = await done;
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "aborted" });
    expect(ofType(events, "subagent:start")).toHaveLength(4);
    const ended = childEnds(events);
    expect(ended.map(({ outcome }) => outcome)).toEqual(Array(4).fill("cancelled"));
    const order = ended.map(({ childId }) => childId);
    for (const { childId, parentId } of ended.filter(({ depth }) => depth > 1)) {
      expect(order.indexOf(childId)).toBeLessThan(order.indexOf(parentId));
    }
    expect(toolEnds(events)).toMatchObject([{ callId: "a", outcome: "cancelled" }]);
    checkHistory(messages);
  });

  it("A26 a group's first failure aborts its siblings, and every outcome is kept", async () => {
    let fail = () => {};
    const until = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const { done, seen, provider } = start(
      byTask({
        Go: [{ calls: [group("g", "Good", "Bad", "Slow")] }, { text: "I see." }],
        Good: [{ text: "fine" }],
        Bad: [{ text: "hm", until, failure: makeFailure("overloaded") }],
        Slow: [{ text: "slow", until: never }],
      }),
    );
    await seen((event) => event.type === "subagent:end");
    fail();
    await seen((event) => event.type === "end");
    const events = await done;
    const outcomes = Object.fromEntries(
      ofType(events, "subagent:start").map(({ childId, title }) => [
        title,
        childEnds(events).find((end) => end.childId === childId)?.outcome,
      ]),
    );
    expect(outcomes).toEqual({ Good: "finished", Bad: "failed", Slow: "cancelled" });
    const [end] = toolEnds(events);
    expect(end).toMatchObject({ outcome: "failed" });
    expect(end?.text).toMatch(
      /1\. Good \(finished\)\nfine.*2\. Bad \(failed\).*3\. Slow \(cancelled\)/s,
    );
    expect(provider.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "tool" });
    expect(events.at(-1)).toMatchObject({ reason: "finished" });
  });

  it("A25 one child can be cancelled through its call, and a call inside of it too", async () => {
    const { run, done, seen } = start(
      byTask({
        Go: [{ calls: [spawn("a", "One"), spawn("b", "Two")] }],
        One: [{ text: "one", until: never }],
        Two: [{ calls: [{ id: "inner", name: "hang" }] }, { text: "went on" }],
      }),
    );
    await seen(childText("one"));
    await seen((event) => event.type === "subagent:event" && event.event.type === "tool:output");
    expect(run.cancelTool("inner")).toBe(true);
    expect(run.cancelTool("a")).toBe(true);
    const events = await done;
    expect(toolEnds(events)).toMatchObject([
      { callId: "a", outcome: "cancelled" },
      { callId: "b", outcome: "finished", text: "went on" },
    ]);
    expect(events.at(-1)).toMatchObject({ reason: "finished" });
  });

  it("A25 a call is told from another agent's call of the same name", async () => {
    const { run, done, seen } = start(
      byTask({
        Go: [{ calls: [spawn("same", "One")] }],
        One: [{ calls: [{ id: "same", name: "hang" }] }, { text: "went on" }],
      }),
    );
    const output = await seen(
      (event) => event.type === "subagent:event" && event.event.type === "tool:output",
    );
    const childId = output.type === "subagent:event" ? output.childId : "";
    expect(run.cancelTool("same", "nobody")).toBe(false);
    expect(run.cancelTool("same", childId)).toBe(true);
    expect(toolEnds(await done)).toMatchObject([{ outcome: "finished", text: "went on" }]);
  });

  it("A27 have these limits, the root's children too", () => {
    expect(subagentLimits).toMatchObject({
      depth: 3,
      atOnce: 5,
      slotWaitMs: 30_000,
      timeoutMs: 300_000,
      undelivered: 16,
      messages: 50,
    });
  });

  it("A27 depth is limited to 3", async () => {
    const { done, provider } = start((options, index) => {
      const spawns = options.tools?.some((tool) => tool.name === "spawn_agent");
      const asked = options.messages.some((message) => message.role === "tool");
      return spawns && !asked ? { calls: [spawn(`c${index}`, `Level ${index}`)] } : { text: "end" };
    });
    const events = await done;
    expect(ofType(events, "subagent:start").map(({ depth }) => depth)).toEqual([1, 2, 3]);
    expect(provider.requests[3]?.tools).toEqual(["echo", "hang"]);
  });

  it("A27 five run at once for one parent, the root too, and a slot is free before the result", async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const names = Array.from({ length: 7 }, (_, n) => `T${n}`);
    const answers = Object.fromEntries(names.map((name) => [name, [{ text: name, until }]]));
    const { done, seen, events } = start(
      byTask({ Go: [{ calls: names.map((name) => spawn(name, name)) }], ...answers }),
    );
    await seen(childText("T4"));
    expect(ofType(events, "subagent:start")).toHaveLength(5);
    release();
    const all = await done;
    expect(ofType(all, "subagent:start")).toHaveLength(7);
    // The sixth child begins as soon as the first one ended, before any result is handed on.
    const sixth = all.findIndex((event) => event.type === "subagent:start" && event.title === "T5");
    const firstEnd = all.findIndex((event) => event.type === "subagent:end");
    const firstResult = all.findIndex((event) => event.type === "tool:end");
    expect(firstEnd).toBeLessThan(firstResult);
    expect(sixth).toBeLessThan(firstResult);
    expect(toolEnds(all).map(({ outcome }) => outcome)).toEqual(Array(7).fill("finished"));
  });

  it("A23 A27 a child that finds no slot in time never begins, and the wait ends with the turn", async () => {
    const names = ["A", "B"];
    const script = byTask({
      Go: [{ calls: names.map((name) => spawn(name, name)) }],
      A: [{ text: "busy", until: never }],
    });
    const short = start(script, { atOnce: 1, slotWaitMs: 30 });
    const refused = await short.seen((event) => event.type === "tool:end");
    expect(refused).toMatchObject({ callId: "B", outcome: "failed" });
    short.controller.abort();
    await short.done;

    const long = start(
      byTask({
        Go: [{ calls: names.map((name) => spawn(name, name)) }],
        A: [{ text: "busy", until: never }],
      }),
      { atOnce: 1 },
    );
    await long.seen(childText("busy"));
    const begun = performance.now();
    long.controller.abort();
    const events = await long.done;
    expect(performance.now() - begun).toBeLessThan(500);
    expect(ofType(events, "subagent:start")).toHaveLength(1);
    expect(toolEnds(events).map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled"]);
  });

  it("A27 a child is stopped at its time limit, and its parent goes on", async () => {
    const { done } = start(
      byTask({
        Go: [{ calls: [spawn("a", "Slow")] }, { text: "Too slow." }],
        Slow: [{ text: "hmm", until: never }],
      }),
      { timeoutMs: 30 },
    );
    const events = await done;
    expect(childEnds(events)).toMatchObject([{ outcome: "failed" }]);
    expect(toolEnds(events)[0]?.text).toMatch(/time limit of 0.03 s.*hmm/s);
    expect(events.at(-1)).toMatchObject({ reason: "finished" });
  });

  it("in the background deliver before a later model call", async () => {
    const { done, provider, messages } = start(
      byTask({
        Go: [
          { calls: [spawn("a", "Side", { background: true })] },
          { calls: [{ id: "e", name: "echo", input: { text: "meanwhile" } }] },
          { text: "All done." },
        ],
        Side: [{ text: "side result" }],
      }),
    );
    const events = await done;
    expect(toolEnds(events)[0]?.text).toMatch(/agent-\w+ works in the background/);
    const sent = JSON.stringify(provider.requests.at(-1)?.messages);
    expect(sent).toMatch(/The subagent agent-\w+.*has ended: finished.*side result/s);
    expect(ofType(events, "subagent:orphan")).toEqual([]);
    checkHistory(messages);
  });

  it("A27 can only have so many background results undelivered", async () => {
    const names = Array.from({ length: 4 }, (_, n) => `B${n}`);
    const { done } = start(
      byTask({ Go: [{ calls: names.map((name) => spawn(name, name, { background: true })) }] }),
      { undelivered: 3 },
    );
    const events = await done;
    const ends = toolEnds(events).sort((a, b) => a.callId.localeCompare(b.callId));
    expect(ends.map(({ outcome }) => outcome)).toEqual([...Array(3).fill("finished"), "failed"]);
    expect(ends[3]?.text).toMatch(/3 subagents in the background have not delivered/);
  });

  it("A8 a result that comes after its parent's end is shown as an orphan and starts no model call", async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { done, seen, provider } = start(
      byTask({
        Go: [{ calls: [spawn("a", "Side", { background: true })] }, { text: "Bye." }],
        Side: [{ text: "late result", until }],
      }),
    );
    expect(await seen((event) => event.type === "finishing")).toMatchObject({ children: 1 });
    release();
    const events = await done;
    const [orphan] = ofType(events, "subagent:orphan");
    expect(orphan).toMatchObject({ depth: 1, parentId: "root", text: "late result" });
    expect(orphan?.reason).toMatch(/parent had ended/);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "finished" });
    expect(provider.requests).toHaveLength(3);
  });

  it("A26 an abort while the turn waits for them ends it aborted", async () => {
    const { done, seen, controller } = start(
      byTask({
        Go: [{ calls: [spawn("a", "Side", { background: true })] }, { text: "Bye." }],
        Side: [{ text: "side", until: never }],
      }),
    );
    await seen((event) => event.type === "finishing");
    controller.abort();
    const events = await done;
    expect(childEnds(events)).toMatchObject([{ outcome: "cancelled" }]);
    expect(ofType(events, "subagent:orphan")).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "aborted" });
  });

  it("finishing up stops the others at their next step, and critical ones deliver", async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const again = { calls: [{ id: "e", name: "echo", input: { text: "x" } }], until };
    const { run, done, seen, provider } = start(
      byTask({
        Go: [
          {
            calls: [
              spawn("a", "Vital", { background: true, critical: true }),
              spawn("b", "Extra", { background: true }),
            ],
          },
          { text: "busy", until },
          { text: "never" },
        ],
        Vital: [{ text: "v1", ...again }, { text: "vital result" }],
        Extra: [{ text: "e1", ...again }, { text: "never said" }],
      }),
    );
    await seen((event) => event.type === "text:delta" && event.text === "busy");
    await seen(childText("v1"));
    await seen(childText("e1"));
    run.finish();
    release();
    const events = await done;
    const outcomes = childEnds(events).map(({ outcome, text }) => [outcome, text]);
    expect(outcomes).toContainEqual(["finished", "vital result"]);
    expect(outcomes).toContainEqual([
      "cancelled",
      expect.stringContaining("stopped before its end"),
    ]);
    expect(ofType(events, "subagent:orphan").map(({ text }) => text)).toContain("vital result");
    expect(JSON.stringify(provider.requests)).not.toContain("never");
    expect(events.at(-1)).toMatchObject({ reason: "finished" });
  });

  it("a parent that fails takes its children with it", async () => {
    const { done } = start(
      byTask({
        Go: [
          { calls: [spawn("a", "Side", { background: true })] },
          { failure: makeFailure("network") },
        ],
        Side: [{ text: "side", until: never }],
      }),
    );
    const events = await done;
    expect(childEnds(events)).toMatchObject([{ outcome: "cancelled" }]);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "failed" });
  });
});
