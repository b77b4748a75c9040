import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  applyEvents,
  emptyTranscript,
  type HistoryMessage,
  MessageId,
  newId,
  type ProviderAccess,
  type TurnId,
  type WorkOrder,
} from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";
import type { ChatRequest, ModelCall } from "@gadget/testing/scripted-model";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OrderServer } from "./support/order-server.ts";
import { onRealServer, startTestDrone, type TestDrone } from "./support/test-drone.ts";

let test: TestDrone<OrderServer>;

beforeAll(async () => {
  test = await startTestDrone();
});
afterAll(() => test.stop());
beforeEach(() => {
  test.model.calls.length = 0;
});

describe.skipIf(onRealServer())("history", () => {
  it("is given to the model with its calls and results, older pages first", async () => {
    const { server, model } = test;
    const callId = "call_1" as never;
    const order = test.order({
      history: {
        messages: [
          { role: "user", text: "Earlier prompt" },
          {
            role: "assistant",
            text: "I look.",
            toolCalls: [{ id: callId, name: "read_file", input: { path: "a" } }],
          },
          { role: "tool", callId, name: "read_file", outcome: "unknown", text: "" },
          { role: "note", text: "The user aborted this turn." },
        ],
        cursor: "older",
      },
    });
    await server.submit(order);
    await server.completed(order.turnId);
    const request = model.calls[0]?.request.messages ?? [];
    const shown = request.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);
    expect(shown[0]).toMatch(/^system: /);
    expect(shown[1]).toContain("older page older");
    expect(shown[1]).toContain("Earlier prompt");
    expect(shown[2]).toContain("I look.");
    expect(shown[3]).toMatch(/^tool: .*outcome of this tool call is unknown/);
    expect(shown[4]).toContain("The user aborted this turn.");
    expect(shown[4]).toContain("Do it.");
  });

  it("a turn that continues another one asks to go on", async () => {
    const { server, model } = test;
    const order = test.order({ prompt: "" });
    await server.submit(order);
    await server.completed(order.turnId);
    expect(model.calls[0]?.prompt).toContain("Continue");
  });
});

describe("A29 an abort at every event of a turn with three tools", () => {
  const calls: [string, object][] = [
    ["list_files", {}],
    ["shell", { command: "echo one; sleep 0.05; echo two" }],
    ["write_file", { path: "made.txt", content: "made\n" }],
  ];

  it("leaves exactly one result for each call, and a history that any model takes", async () => {
    const { server, model } = test;
    let boundaries = 0;
    const stride = onRealServer() ? 3 : 1;
    for (let boundary = 1; ; boundary += stride) {
      model.answerWithTools(...calls);
      const order = test.order();
      const reached = server.when(order.turnId, boundary);
      await server.submit(order);
      const end = server.completed(order.turnId);
      const first = await Promise.race([reached, end]);
      if (first === "reached") {
        await server.abort(order.turnId);
      }
      const { success, message } = await end;
      expect(success).toBe(true);
      const starts = server.eventsOf(order.turnId, "tool:start").map(({ callId }) => callId);
      const ends = server.eventsOf(order.turnId, "tool:end").map(({ callId }) => callId);
      expect(ends.toSorted()).toEqual(starts.toSorted());
      await checkNext(order);
      if (message === "aborted") {
        boundaries += 1;
      }
      if (first !== "reached") {
        break;
      }
    }
    expect(boundaries).toBeGreaterThan(8 / stride);
  });

  /** The session's next turn. A real server makes its history itself. */
  async function checkNext({ turnId, sessionId }: WorkOrder): Promise<void> {
    const { server, model } = test;
    const history = { messages: historyOf(turnId), cursor: null };
    const next = test.order({ sessionId, history });
    model.answer((call) => {
      call.text("ok");
      call.end();
    });
    model.calls.length = 0;
    await server.submit(next);
    await server.completed(next.turnId);
    checkHistory(model.calls[0]?.request.messages ?? []);
  }
});

/** As the server makes it of what is stored. */
function historyOf(turnId: TurnId): HistoryMessage[] {
  const events = test.server.events(turnId);
  const { parts } = applyEvents(emptyTranscript(turnId), events).transcript;
  const tools = parts
    .filter((part) => part.kind === "tool")
    .filter(({ input }) => input !== undefined);
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  return [
    { role: "user", text: "Do it." },
    {
      role: "assistant",
      text,
      toolCalls: tools.map(({ id, name, input }) => ({ id, name, input })),
    },
    ...tools.map(({ id, name, outcome = "unknown", result = "" }): HistoryMessage => {
      return { role: "tool", callId: id, name, outcome, text: result };
    }),
    { role: "note", text: "The user aborted this turn." },
  ];
}

/** What the strictest servers demand: each call is followed at once by its one result. */
function checkHistory(messages: ChatRequest["messages"]): void {
  let open: string[] = [];
  for (const { role, content, tool_calls, tool_call_id } of messages) {
    if (role === "tool") {
      expect(open).toContain(tool_call_id);
      expect(content).not.toBe("");
      open = open.filter((id) => id !== tool_call_id);
    } else {
      expect(open).toEqual([]);
      if (role === "assistant") {
        open = tool_calls?.map(({ id }) => id) ?? [];
      }
    }
  }
  expect(open).toEqual([]);
  expect(messages.at(-1)?.role).toBe("user");
}

describe("steering", () => {
  const messageId = () => newId(MessageId);

  it("reaches the model before its next call, and skipped tools are told", async () => {
    const { server, model } = test;
    model.answerWithTools(
      ["shell", { command: "echo go; sleep 0.4" }],
      ["shell", { command: "touch skipped" }],
    );
    const order = test.order();
    const { turnId } = order;
    await server.submit(order);
    await server.event(turnId, "tool:output");
    const steer = { turnId, text: "Use tabs.", mode: "steer" as const, by: test.server.person };
    await server.ask("deliverMessage", [{ ...steer, messageId: messageId() }]);
    await server.completed(turnId);
    expect(server.eventsOf(turnId, "message:steered")).toMatchObject([
      { text: "Use tabs.", by: test.server.person },
    ]);
    expect(server.eventsOf(turnId, "tool:end").map(({ outcome }) => outcome)).toEqual([
      "finished",
      "never_started",
    ]);
    expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain("Use tabs.");
    const late = server.ask("deliverMessage", [{ ...steer, messageId: messageId() }]);
    await expect(late).rejects.toMatchObject({ code: "not_running" });
  });

  it("a queued message waits for the next turn", async () => {
    const { server, model } = test;
    model.answerWithTools(["shell", { command: "echo go; sleep 0.3" }]);
    const order = test.order();
    const { turnId } = order;
    await server.submit(order);
    await server.event(turnId, "tool:output");
    const later = { turnId, text: "Later.", mode: "queue" as const, by: server.person };
    await server.ask("deliverMessage", [{ ...later, messageId: messageId() }]);
    await server.completed(turnId);
    // Only a real server makes a turn of it.
    await eventually("its own turn", () => {
      return !onRealServer() || model.calls.at(-1)?.prompt.includes("Later.");
    });
    const queued = server.eventsOf(turnId, "message:queued").map(({ text }) => text);
    expect(queued).toEqual(onRealServer() ? [] : ["Later."]);
    expect(model.calls).toHaveLength(onRealServer() ? 3 : 2);
    expect(JSON.stringify(model.calls[1]?.request.messages)).not.toContain("Later.");
  });

  it("finish: the rest of the tools is skipped, one call without tools, then finished", async () => {
    const { server, model } = test;
    model.answerWithTools(
      ["shell", { command: "echo go; sleep 0.3" }],
      ["shell", { command: "touch skipped" }],
    );
    const order = test.order();
    const { turnId } = order;
    await server.submit(order);
    await server.event(turnId, "tool:output");
    await server.ask("finishWorkOrder", [{ turnId }]);
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: undefined });
    expect(server.eventsOf(turnId, "turn:changed").map(({ waitingFor }) => waitingFor)).toContain(
      "finishing",
    );
    expect(model.calls).toHaveLength(2);
    expect(model.calls[1]?.request.tools).toBeUndefined();
  });

  it("answers to a question go to the model", async () => {
    const { server, model } = test;
    model.answerWithTools(["ask_user", { question: "Tea?", options: [{ label: "Yes" }] }]);
    const order = test.order();
    const { turnId } = order;
    await server.submit(order);
    const { questionId } = await server.event(turnId, "question:open");
    await server.ask("answerQuestion", [
      { turnId, questionId, answer: "Coffee", by: test.server.person },
    ]);
    await server.completed(turnId);
    expect(server.eventsOf(turnId, "question:closed")).toMatchObject([
      { answer: "Coffee", by: test.server.person },
    ]);
    expect(model.calls.at(-1)?.toolResults).toEqual(["Coffee"]);
  });
});

describe("subagents", () => {
  it("A26 an abort reaches every descendant: their models, their commands", async () => {
    const { server, model } = test;
    const children: ModelCall[] = [];
    model.answer((call) => {
      if (call.prompt.includes("child talks")) {
        children.push(call);
        call.text("I talk and talk");
      } else if (call.prompt.includes("child runs")) {
        call.tool("shell", {
          command: "trap '' TERM; while :; do echo x >> beat; sleep 0.02; done",
        });
        call.end();
      } else {
        const agent = (title: string) => ({ title, task: `${title} for ever` });
        call.tool("spawn_agents", { agents: [agent("child talks"), agent("child runs")] });
        call.end();
      }
    });
    const order = test.order();
    const { turnId } = order;
    await server.submit(order);
    const file = join(test.workspace(order), "beat");
    const size = async () => (await readFile(file).catch(() => "")).length;
    await eventually("the child's command", async () => (await size()) > 0);
    await eventually("the child's text", () => server.text(turnId).includes("talk"));
    await server.abort(turnId);
    await server.completed(turnId);
    await Promise.all(children.map(({ closed }) => closed));
    const before = await size();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await size()).toBe(before);
    const ends = server.eventsOf(turnId, "subagent:end").map(({ outcome }) => outcome);
    expect(ends).toEqual(["cancelled", "cancelled"]);
    const started = server.eventsOf(turnId, "tool:start").filter(({ agentId }) => agentId);
    expect(started).toHaveLength(1);
    expect(server.eventsOf(turnId, "turn:changed").at(-1)?.stopped?.left).toBe(0);
  });

  it("A25 a tool of a subagent can be stopped by its name in the turn", async () => {
    const { server, model } = test;
    model.answer((call) => {
      if (call.request.messages.at(-1)?.role === "tool") {
        call.text("Seen.");
      } else if (call.prompt.includes("sleeper")) {
        call.tool("shell", { command: "echo z; sleep 60" });
      } else {
        call.tool("spawn_agent", { title: "sleeper", task: "sleeper" });
      }
      call.end();
    });
    const order = test.order();
    const { turnId } = order;
    await server.submit(order);
    const { callId } = await server.event(turnId, "tool:output");
    await server.ask("cancelTool", [{ turnId, callId }]);
    expect(await server.completed(turnId)).toMatchObject({ success: true, message: undefined });
  });
});

describe.skipIf(onRealServer())("the project's own rules", () => {
  it("are instructions of the user's, not material", async () => {
    const { server, model } = test;
    model.answerWithTools();
    const order = test.order();
    await mkdir(test.workspace(order), { recursive: true });
    await writeFile(join(test.workspace(order), "AGENTS.md"), "Use tabs.");
    await server.submit(order);
    await server.completed(order.turnId);
    const system = JSON.stringify(model.calls[0]?.request.messages[0]?.content);
    expect(system).toMatch(/from its AGENTS.md. Follow them, .*conflict.*Use tabs\./);
  });
});

describe.skipIf(onRealServer())("providers", () => {
  it("lists models and tests from the drone", async () => {
    const { server, model } = test;
    const provider = { kind: "openai" as const, baseUrl: model.baseUrl, apiKey: "k" };
    expect(await server.ask("listModels", [{ provider }])).toEqual({
      models: [{ id: "scripted" }, { id: "scripted-small", contextWindow: 16_000 }],
    });
    expect(await server.ask("testProvider", [{ provider }])).toMatchObject({
      ok: true,
      models: [{ id: "scripted" }, { id: "scripted-small", contextWindow: 16_000 }],
    });
    const known = { provider, model: "scripted" };
    expect(await server.ask("testProvider", [known])).toMatchObject({ ok: true });
    expect(await server.ask("testProvider", [{ provider, model: "nosuch" }])).toMatchObject({
      ok: false,
      message: expect.stringContaining("nosuch is not among its 2 models"),
    });
    const dead = { ...provider, baseUrl: "http://127.0.0.1:1/v1" };
    expect(await server.ask("testProvider", [{ provider: dead }])).toMatchObject({ ok: false });
  });

  it("lists models with the context size that a turn would plan with", async () => {
    const { server, model } = test;
    const contextWindows = [{ model: "scripted-small", contextWindow: 5_000 }];
    const access = { kind: "openai" as const, baseUrl: model.baseUrl, apiKey: "k" };
    const sizes = async (provider: ProviderAccess) => {
      const { models } = await server.ask("listModels", [{ provider }]);
      return models.map(({ contextWindow }) => contextWindow);
    };
    expect(await sizes({ ...access, contextWindow: 9_000 })).toEqual([9_000, 9_000]);
    expect(await sizes({ ...access, contextWindows })).toEqual([undefined, 5_000]);
    expect(await sizes({ ...access, contextWindow: 9_000, contextWindows })).toEqual([
      9_000, 5_000,
    ]);
    const ollama = createServer((request, response) => {
      request.resume().once("end", () => {
        const isList = request.url === "/api/tags";
        const models = [{ model: "long" }];
        const shown = { model_info: { "x.context_length": 131_072 } };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(isList ? { models } : shown));
      });
    }).listen(0, "127.0.0.1");
    await once(ollama, "listening");
    try {
      const { port } = ollama.address() as AddressInfo;
      const local = { kind: "ollama" as const, baseUrl: `http://127.0.0.1:${port}` };
      expect(await sizes(local)).toEqual([32_768]);
      expect(await sizes({ ...local, contextWindow: 65_536 })).toEqual([65_536]);
      expect(await sizes({ ...local, contextWindow: 1_000_000 })).toEqual([131_072]);
    } finally {
      ollama.close();
    }
  });

  it("hands on what a server says that answers as no provider does", async () => {
    const odd = createServer((_, response) => {
      response.writeHead(418, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "I only make tea" } }));
    });
    odd.listen(0, "127.0.0.1");
    await once(odd, "listening");
    const { port } = odd.address() as AddressInfo;
    const provider = { kind: "openai" as const, baseUrl: `http://127.0.0.1:${port}/v1` };
    const said = expect.stringMatching(/418.*\(.*I only make tea.*\)/s);
    expect(await test.server.ask("testProvider", [{ provider }])).toEqual({
      ok: false,
      message: said,
    });
    await expect(test.server.ask("listModels", [{ provider }])).rejects.toMatchObject({
      code: "unavailable",
      message: said,
    });
    odd.close();
  });

  it("the demo answers on a drone of its own, and says that it is a script", async () => {
    const { server } = test;
    const order = server.order({ prompt: "Please explore this project.", model: "demo" });
    order.workspace = { source: { kind: "sample" }, directory: "demo-run", environment: [] };
    await server.submit(order);
    expect(await server.completed(order.turnId, 30_000)).toMatchObject({ success: true });
    expect(server.text(order.turnId)).toMatch(/script/i);
    expect(server.eventsOf(order.turnId, "tool:end").map(({ name }) => name)).toContain(
      "list_files",
    );
  });
});
