import { describe, expect, it } from "vitest";
import { startRun, toolEnds } from "../test/agent-fixture.ts";
import { ScriptedProvider } from "../test/scripted-provider.ts";

describe("telling what an agent does", () => {
  it("reads no further in the model's answer while a reader is slow", async () => {
    const told: string[] = [];
    const pulled: string[] = [];
    const provider = new ScriptedProvider([{ text: "Hm" }]);
    const chat = provider.chat.bind(provider);
    provider.chat = async function* (options) {
      for await (const event of chat(options)) {
        pulled.push(event.type);
        yield event;
      }
    };
    let read = () => {};
    const reading = new Promise<void>((resolve) => {
      read = resolve;
    });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { done } = startRun(provider, {
      emit: ({ type }) => {
        told.push(type);
        if (type !== "text:delta") {
          return undefined;
        }
        begin();
        return reading;
      },
    });
    await begun;
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual(["step", "text:start", "text:delta"]);
    expect(pulled).toEqual(["text:start", "text:delta"]);
    read();
    await done;
    expect(told).toEqual(["step", "text:start", "text:delta", "text:end", "usage"]);
  });

  it("A11 an abort while a reader is slow is the abort", async () => {
    const controller = new AbortController();
    const { done } = startRun(new ScriptedProvider([{ text: "no" }]), {
      signal: controller.signal,
      emit: async () => {
        controller.abort();
        throw new Error("The reader has left.");
      },
    });
    expect((await done).at(-1)).toMatchObject({ type: "end", reason: "aborted" });
  });

  it("A17 is over with the end: what was left behind at the deadline tells nothing more", async () => {
    let prepare = () => {};
    const prepared = new Promise<void>((resolve) => {
      prepare = resolve;
    });
    const input = { title: "Deaf", task: "Deaf" };
    const provider = new ScriptedProvider([{ calls: [{ id: "c1", name: "spawn_agent", input }] }]);
    let ask = () => {};
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const { done, controller } = startRun(provider, {
      abortDeadlineMs: 20,
      subagents: {
        tools: [],
        system: "",
        prepareHistory: async (messages) => {
          ask();
          await prepared;
          return { ok: true, value: messages };
        },
      },
    });
    await asked;
    controller.abort();
    const events = await done;
    expect(toolEnds(events)).toMatchObject([{ outcome: "unknown" }]);
    const before = events.map(({ type }) => type);
    prepare();
    await new Promise((resolve) => setImmediate(resolve));
    expect(events.map(({ type }) => type)).toEqual(before);
    expect(before.at(-1)).toBe("end");
  });

  it("lets a reader that fails end it", async () => {
    const emit = () => Promise.reject(new Error("full"));
    await expect(startRun(new ScriptedProvider([]), { emit }).done).rejects.toThrow("full");
  });
});
