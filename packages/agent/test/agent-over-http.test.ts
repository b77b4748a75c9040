import { createProvider } from "@gadget/ai";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../src/define-tool.ts";
import { checkHistory, echo, hang, ofType, startRun, toolEnds } from "./agent-fixture.ts";
import { type ServerAnswer, startScriptedServer } from "./scripted-server.ts";

type Server = Awaited<ReturnType<typeof startScriptedServer>>;
type Script = Parameters<typeof startScriptedServer>[0];

let server: Server;
afterEach(() => server.close());

async function connect(script: Script) {
  server = await startScriptedServer(script);
  return createProvider({ kind: "openai", baseUrl: server.baseUrl, apiKey: "key" });
}

async function connectionsClosed(): Promise<boolean> {
  const deadline = performance.now() + 2000;
  while (server.openAnswers() > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return server.openAnswers() === 0;
}

const threeTools: ServerAnswer = {
  words: ["Let ", "me ", "look."],
  calls: ["one", "two", "three"].map((text) => ({
    id: `call_${text}`,
    name: "write",
    input: { text },
  })),
};
const written: string[] = [];
const write = defineTool({
  name: "write",
  description: "Writes a word down",
  input: z.object({ text: z.string() }),
  async run({ text }, { signal, output }) {
    output(`writing ${text}`);
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) {
      return { text: "", stopped: true };
    }
    written.push(text);
    return `wrote ${text}`;
  },
});

/** Three tools in the first answer of a conversation, words in every other. */
const threeToolTurn: Script = ({ messages }) =>
  messages.some(({ role }) => role === "tool" || role === "assistant")
    ? { words: ["All ", "done."] }
    : threeTools;

describe("an agent on a real connection", () => {
  it("streams an answer, runs its tools and ends", async () => {
    const provider = await connect(threeToolTurn);
    const { done, messages } = startRun(provider, { tools: [write] });
    const events = await done;
    expect(toolEnds(events).map(({ text }) => text)).toEqual([
      "wrote one",
      "wrote two",
      "wrote three",
    ]);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "finished" });
    expect(server.requests).toHaveLength(2);
    checkHistory(messages);
    provider.close();
  });

  it("A29 A16 aborted at every event of a three-tool turn, the next turn's history is whole", async () => {
    const provider = await connect(threeToolTurn);
    const total = (await startRun(provider, { tools: [write] }).done).length;
    expect(total).toBeGreaterThan(20);
    for (let boundary = 1; boundary < total; boundary++) {
      const before = written.length;
      const first = startRun(provider, { tools: [write] });
      await first.seen(() => first.events.length >= boundary);
      first.controller.abort();
      const events = await first.done;
      expect(events.at(-1)).toMatchObject({ type: "end", reason: "aborted" });
      checkHistory(first.messages);
      const started = ofType(events, "toolcall:start").map(({ id }) => id);
      const settled = toolEnds(events).map(({ callId }) => callId);
      expect(settled.sort()).toEqual(started.sort());
      const finished = toolEnds(events).filter(({ outcome }) => outcome === "finished");
      expect(written.length - before).toBe(finished.length);

      first.messages.push({ role: "user", content: "Go on" });
      const next = await startRun(provider, { tools: [write], messages: first.messages }).done;
      expect(next.at(-1)).toMatchObject({ type: "end", reason: "finished" });
    }
    provider.close();
  });

  it("A13 A26 an abort closes the connections of the agent and of its children at once", async () => {
    const provider = await connect(({ messages }) => {
      const task = JSON.stringify(messages.find(({ role }) => role === "user")?.content);
      const spawn = (name: string, input: object) => ({
        calls: [{ id: `call_${name}`, name, input: { ...input } }],
      });
      if (task.includes("Go")) {
        const agents = ["Deep", "Silent"].map((title) => ({ title, task: title }));
        return spawn("spawn_agents", { agents });
      }
      if (task.includes("Deep")) {
        return spawn("spawn_agent", { title: "Silent", task: "Silent" });
      }
      return { words: ["hush"], silent: true };
    });
    const subagents = { tools: [echo], system: "You help." };
    const { done, seen, controller, events } = startRun(provider, { subagents });
    const hushes = () =>
      events.filter(
        (event) => event.type === "subagent:event" && event.event.type === "text:delta",
      );
    await seen(() => hushes().length === 2);
    expect(server.openAnswers()).toBe(2);
    const begun = performance.now();
    controller.abort();
    await done;
    expect(performance.now() - begun).toBeLessThan(500);
    expect(await connectionsClosed()).toBe(true);
    expect(ofType(events, "subagent:end").map(({ outcome }) => outcome)).toEqual(
      Array(3).fill("cancelled"),
    );
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "aborted" });
    provider.close();
  });

  it("A13 an abort while the model is silent ends the turn at once", async () => {
    const provider = await connect(() => ({ words: ["Hm"], silent: true }));
    const { done, seen, controller } = startRun(provider);
    await seen((event) => event.type === "text:delta");
    const begun = performance.now();
    controller.abort();
    expect((await done).at(-1)).toMatchObject({ type: "end", reason: "aborted" });
    expect(performance.now() - begun).toBeLessThan(200);
    expect(await connectionsClosed()).toBe(true);
    provider.close();
  });

  it("A17 a tool that ignores its signal is named after 3 s and given up before 5 s", async () => {
    const provider = await connect(({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? { words: ["Done."] }
        : { calls: [{ id: "call_1", name: "deaf", input: {} }] },
    );
    let finish = () => {};
    const deaf = defineTool({
      name: "deaf",
      description: "Hears nothing",
      input: z.object({}),
      timeoutMs: null,
      run: () =>
        new Promise<string>((resolve) => {
          finish = () => resolve("too late");
        }),
    });
    const warned: number[] = [];
    const late: string[] = [];
    let begun = 0;
    const { done, seen, controller, messages } = startRun(provider, {
      tools: [deaf],
      onAbortTimeout: ({ name }) => {
        expect(name).toBe("deaf");
        warned.push(performance.now() - begun);
      },
      onLateResult: ({ name }) => late.push(name),
    });
    await seen((event) => event.type === "tool:run");
    begun = performance.now();
    controller.abort();
    const events = await done;
    const tookMs = performance.now() - begun;
    expect(warned).toHaveLength(1);
    expect(warned[0]).toBeGreaterThan(2900);
    expect(tookMs).toBeLessThan(5000);
    expect(toolEnds(events)).toMatchObject([{ outcome: "unknown" }]);
    checkHistory(messages);
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(late).toEqual(["deaf"]);
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "aborted" });
    provider.close();
  });

  it("A25 the model is told of a cancelled tool in the next request", async () => {
    const provider = await connect(({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? { words: ["I see."] }
        : { calls: [{ id: "call_1", name: "hang", input: {} }] },
    );
    const { run, done, seen } = startRun(provider, { tools: [hang] });
    await seen((event) => event.type === "tool:output");
    expect(run.cancelTool("call_1")).toBe(true);
    expect((await done).at(-1)).toMatchObject({ reason: "finished" });
    expect(JSON.stringify(server.requests[1]?.messages.at(-1))).toMatch(/user stopped this call/);
    provider.close();
  });
});
