import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HistoryMessage, newId, SessionId, TurnId, type WorkOrder } from "@gadget/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SmallCall, SmallModelServer } from "./support/small-model-server.ts";
import { TestDrone } from "./support/test-drone.ts";

let test: TestDrone;
let model: SmallModelServer;

beforeEach(async () => {
  test = await TestDrone.start();
});
afterEach(async () => {
  await test.stop();
  await model.stop();
});

const line = "export const value = { a: 1, b: [2, 3], c: 'x' };";
const large = (lines: number) =>
  Array.from({ length: lines }, (_, n) => `${line} // ${n}`).join("\n");

async function turn(fields: Partial<WorkOrder> = {}, files: Record<string, string | Buffer> = {}) {
  const order = test.order({ provider: model.access, model: "small", ...fields });
  const folder = test.workspace(order);
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
  }
  await test.server.submit(order);
  const end = await test.server.completed(order.turnId, 30_000);
  return { order, end, text: test.server.text(order.turnId) };
}

const notices = ({ turnId }: WorkOrder) => test.server.eventsOf(turnId, "notice");
const results = ({ messages }: SmallCall) => messages.filter(({ role }) => role === "tool").length;

/** Reads the file at once, and answers when it has seen it. */
const readsThenAnswers = (call: SmallCall) => {
  if (call.isSummary) {
    return "They read a large file.";
  }
  return results(call) > 0 ? "Seen." : [{ name: "read_file", input: { path: "big.ts" } }];
};

/** A turn that read a large file whole, as an earlier version stored it. */
function brickedHistory(): HistoryMessage[] {
  const callId = "call_1" as never;
  const turnId = newId(TurnId);
  const call = { id: callId, name: "read_file", input: { path: "big.ts" } };
  return [
    { role: "user", turnId, text: "Read big.ts" },
    { role: "assistant", turnId, text: "", toolCalls: [call] },
    { role: "tool", turnId, callId, name: "read_file", outcome: "finished", text: large(2_000) },
    { role: "note", turnId, text: "This turn ended with an error before it was complete." },
  ];
}

describe("a model with a small context", () => {
  it("is given as much of a large file as it can read, and told how to read on", async () => {
    model = await SmallModelServer.start({
      kind: "llama.cpp",
      window: 8_192,
      answer: readsThenAnswers,
    });
    const { end, text, order } = await turn({}, { "big.ts": large(2_000) });
    expect(end).toMatchObject({ success: true, message: undefined });
    expect(text).toBe("Seen.");
    expect(model.refused).toEqual([]);
    const [result] = test.server.eventsOf(order.turnId, "tool:end");
    expect(result?.text).toMatch(/more lines did not fit .*; read on from line \d+\]$/);
  });

  it("goes on through many large results in one turn", async () => {
    model = await SmallModelServer.start({
      kind: "llama.cpp",
      window: 8_192,
      answer: (call) => {
        if (call.isSummary) {
          return "They read parts of a large file.";
        }
        const read = model.calls.filter(({ isSummary }) => !isSummary).length;
        if (read > 8) {
          return "All read.";
        }
        const path = "big.ts";
        return [1, 2, 3].map((n) => ({ name: "read_file", input: { path, startLine: read * n } }));
      },
    });
    const { end, text, order } = await turn(
      { prompt: "Keep me: read it all" },
      { "big.ts": large(900) },
    );
    expect(end).toMatchObject({ success: true, message: undefined });
    expect(text).toBe("All read.");
    for (const call of model.calls.filter(({ isSummary }) => !isSummary)) {
      expect(call.text).toContain("Keep me: read it all");
    }
    expect(test.server.eventsOf(order.turnId, "history:compacted").length).toBeGreaterThan(0);
  });

  it.each([true, false])(
    "lets a session go on that one large read had stopped (says %s)",
    async (says) => {
      model = await SmallModelServer.start({
        kind: "llama.cpp",
        window: 8_192,
        says,
        answer: (call) => (call.isSummary ? "They read big.ts." : "Here I am."),
      });
      const history = { messages: brickedHistory(), cursor: null };
      const { end, text, order } = await turn({ prompt: "And now?", history });
      expect(end).toMatchObject({ success: true, message: undefined });
      expect(text).toBe("Here I am.");
      expect(model.calls.at(-1)?.text).toContain("They read big.ts.");
      const turnId = history.messages[0]?.turnId;
      const compacted = test.server.eventsOf(order.turnId, "history:compacted");
      expect(compacted).toMatchObject([{ throughTurnId: turnId, summary: "They read big.ts." }]);
    },
  );

  it("refuses a prompt that alone is too long, and says what to do", async () => {
    model = await SmallModelServer.start({ kind: "llama.cpp", window: 8_192, answer: () => "?" });
    const { end } = await turn({ prompt: large(1_500) });
    expect(end.success).toBe(false);
    expect(end.message).toMatch(
      /The prompt is longer than the model can read: about [\d,]+ of 8,192 tokens/,
    );
    expect(model.calls).toEqual([]);
  });

  it("goes by the server's counts, in the meter too", async () => {
    model = await SmallModelServer.start({
      kind: "llama.cpp",
      window: 8_192,
      answer: readsThenAnswers,
    });
    const { order } = await turn({}, { "big.ts": large(100) });
    const last = model.calls.at(-1);
    expect(test.server.eventsOf(order.turnId, "usage").at(-1)?.usage).toMatchObject({
      contextTokens: (last?.tokens ?? 0) + 20,
      contextWindow: 8_192,
    });
  });

  it("keeps a summary that was made inside of a turn, worded as the next turn has it", async () => {
    let steps = 0;
    model = await SmallModelServer.start({
      kind: "llama.cpp",
      window: 8_192,
      answer: (call) => {
        if (call.isSummary) {
          return `SUMMARY ${model.calls.length}`;
        }
        steps += 1;
        const range = { path: "big.ts", startLine: steps * 50, endLine: steps * 50 + 60 };
        return steps > 5 ? "All read." : [{ name: "read_file", input: range }];
      },
    });
    const { order } = await turn({ prompt: "Read it in parts" }, { "big.ts": large(900) });
    const compacted = test.server.eventsOf(order.turnId, "history:compacted").at(-1);
    expect(compacted).toMatchObject({ throughTurnId: order.turnId });
    expect(compacted?.throughStep).toBeGreaterThan(0);
    const last = model.calls.at(-1);
    expect(notices(order).map(({ text }) => text)).toContain(
      "The oldest part of the conversation was summarised for the model.",
    );
    expect(last?.messages[1]).toEqual({
      role: "user",
      content: `Read it in parts\n\n(Note: Summary of the conversation until here:\n\n${compacted?.summary})`,
    });
  });

  it("is spared a whole session when somebody asks for it, with progress", async () => {
    model = await SmallModelServer.start({
      kind: "llama.cpp",
      window: 8_192,
      answer: () => "They read big.ts.",
    });
    const history = { messages: brickedHistory(), cursor: null };
    const { end, order } = await turn({ prompt: "", compact: true, history });
    expect(end).toMatchObject({ success: true, message: undefined });
    const summary = "They read big.ts.";
    const throughTurnId = history.messages[0]?.turnId;
    const { turnId } = order;
    expect(test.server.eventsOf(turnId, "history:compacted")).toMatchObject([
      { summary, throughTurnId },
    ]);
    expect(notices(order).map(({ phase }) => phase)).toEqual(["start", "end"]);
    expect(test.server.eventsOf(turnId, "text:start")).toEqual([]);
    expect(model.calls.every(({ isSummary }) => isSummary)).toBe(true);
  });

  it("says kindly that a session is too short to be shortened, and what was paid for it", async () => {
    const summary = "They said hello, and the assistant greeted them back and offered its help.";
    model = await SmallModelServer.start({
      kind: "llama.cpp",
      window: 8_192,
      answer: () => summary,
    });
    const turnId = newId(TurnId);
    const messages: HistoryMessage[] = [
      { role: "user", turnId, text: "Hello" },
      { role: "assistant", turnId, text: "Hello!", toolCalls: [] },
    ];
    const history = { messages, cursor: null };
    const { end, order } = await turn({ prompt: "", compact: true, history });
    expect(end).toMatchObject({ success: true, message: undefined });
    expect(notices(order).at(-1)).toMatchObject({
      phase: "end",
      level: "info",
      text: "There is nothing to shorten yet.",
    });
    expect(notices(order).every(({ level }) => level === "info")).toBe(true);
    expect(test.server.eventsOf(order.turnId, "history:compacted")).toEqual([]);
    const [usage] = test.server.eventsOf(order.turnId, "usage");
    expect(usage?.usage.outputTokens).toBeGreaterThan(0);
    expect(usage?.usage.contextTokens).toBeUndefined();
  });

  it("A13 stops summarising a session when that is aborted, and keeps the history as it was", async () => {
    let asked = () => {};
    const waiting = new Promise<void>((resolve) => {
      asked = resolve;
    });
    model = await SmallModelServer.start({
      kind: "llama.cpp",
      window: 8_192,
      answer: () => {
        asked();
        return new Promise<never>(() => {});
      },
    });
    const history = { messages: brickedHistory(), cursor: null };
    const order = test.order({ provider: model.access, prompt: "", compact: true, history });
    await test.server.submit(order);
    await waiting;
    expect(await test.server.abort(order.turnId)).toMatchObject({ success: true });
    expect(await test.server.completed(order.turnId)).toMatchObject({ message: "aborted" });
    await model.calls[0]?.closed;
    expect(test.server.eventsOf(order.turnId, "history:compacted")).toEqual([]);
    expect(notices(order).at(-1)).toMatchObject({ phase: "end" });
  });

  it("leaves an image out that it can't see, says so, and goes on", async () => {
    model = await SmallModelServer.start({
      kind: "llama.cpp",
      window: 32_000,
      answer: (call) =>
        results(call) > 0
          ? "I can't see it."
          : [{ name: "read_file", input: { path: "logo.png" } }],
    });
    const { end, text, order } = await turn(
      {},
      { "logo.png": Buffer.from("89504e470d0a1a0a", "hex") },
    );
    expect(end).toMatchObject({ success: true, message: undefined });
    expect(text).toBe("I can't see it.");
    expect(model.refused).toHaveLength(1);
    expect(model.calls.at(-1)?.text).toContain("this model can't see images");
    const told = notices(order).filter(({ code }) => code === "images");
    expect(told).toHaveLength(1);
    expect(notices(order).some(({ code }) => code === "backoff")).toBe(false);
  });
});

it.each([
  ["llama.cpp", "off", "none"],
  ["llama.cpp", "high", "high"],
  ["llama.cpp", undefined, undefined],
  ["ollama", "off", false],
  ["ollama", "low", "low"],
  ["ollama", undefined, undefined],
] as const)("%s is told to think as its provider says: %s", async (kind, reasoningEffort, told) => {
  model = await SmallModelServer.start({ kind, window: 8_192, answer: () => "Yes." });
  const provider = { ...model.access, ...(reasoningEffort && { reasoningEffort }) };
  expect((await turn({ provider })).end).toMatchObject({ success: true, message: undefined });
  expect(model.calls.map(({ effort }) => effort)).toEqual([told]);
});

describe("Ollama", () => {
  const start = (answer: (call: SmallCall) => ReturnType<SmallModelServer["small"]["answer"]>) =>
    SmallModelServer.start({ kind: "ollama", window: 20_000, answer });

  it("is never sent more than it was asked to read", async () => {
    let steps = 0;
    model = await start((call) => {
      if (call.isSummary) {
        return "They read.";
      }
      steps += 1;
      return steps > 6 ? "All read." : [{ name: "read_file", input: { path: "big.ts" } }];
    });
    const sessionId = newId(SessionId);
    const { end } = await turn({ sessionId }, { "big.ts": large(1_900) });
    expect(end).toMatchObject({ success: true, message: undefined });
    const history = { messages: brickedHistory(), cursor: null };
    const next = await turn({ sessionId, history, prompt: "And now?" });
    expect(next.end).toMatchObject({ success: true, message: undefined });
    expect(model.cut).toBe(0);
    expect(model.calls.map(({ window }) => window)).toEqual(model.calls.map(() => 20_000));
  });

  it("is asked for what a person has set, and no more is planned with", async () => {
    model = await start(readsThenAnswers);
    const provider = { ...model.access, contextWindow: 9_000 };
    const { end } = await turn({ provider }, { "big.ts": large(1_900) });
    expect(end.success).toBe(true);
    expect(model.cut).toBe(0);
    expect(model.calls.at(-1)?.window).toBe(9_000);
  });

  it("is not shown an image that its model can't see", async () => {
    model = await start((call) =>
      results(call) > 0 ? "No." : [{ name: "read_file", input: { path: "a.png" } }],
    );
    const { order } = await turn({}, { "a.png": Buffer.from("89504e470d0a1a0a", "hex") });
    expect(model.calls.map(({ images }) => images)).toEqual([0, 0]);
    expect(model.calls.at(-1)?.text).toContain("this model can't see images");
    expect(notices(order).filter(({ code }) => code === "images")).toHaveLength(1);
  });
});
