import type { AgentEvent } from "@gadget/agent";
import { newId, UserId } from "@gadget/api";
import { describe, expect, it } from "vitest";
import { callOf, wireCallId } from "../wire-call-id.ts";
import { ToWire } from "./to-wire.ts";

const ada = { id: newId(UserId), name: "Ada" };

function translated(...events: AgentEvent[]) {
  const wire = new ToWire(new Map([["message1", ada]]));
  return events.flatMap((event) => wire.translate(event));
}

describe("ToWire", () => {
  it("gives parts names that are unique in the turn, with their step", () => {
    const events = translated(
      { type: "step", step: 1 },
      { type: "text:start", id: "0" },
      { type: "step", step: 2 },
      { type: "text:start", id: "0" },
      { type: "subagent:event", childId: "agent-1", event: { type: "step", step: 1 } },
      { type: "subagent:event", childId: "agent-1", event: { type: "text:start", id: "0" } },
    );
    expect(events).toEqual([
      { type: "text:start", partId: "root.1.0", step: 1 },
      { type: "text:start", partId: "root.2.0", step: 2 },
      { type: "text:start", partId: "agent-1.1.0", step: 1, agentId: "agent-1" },
    ]);
  });

  it("adds the tokens of all agents up; how full the context is says the turn's own", () => {
    const usage = (inputTokens: number, outputTokens: number): AgentEvent => ({
      type: "usage",
      usage: { inputTokens, outputTokens },
    });
    const child: AgentEvent = { type: "subagent:event", childId: "agent-1", event: usage(100, 50) };
    expect(translated(usage(10, 5), child, usage(20, 5)).at(-1)).toEqual({
      type: "usage",
      usage: { inputTokens: 130, outputTokens: 60, contextTokens: 25 },
    });
  });

  it("says who steered", () => {
    const steered: AgentEvent = {
      type: "message:steered",
      messageId: "message1",
      text: "Use tabs.",
    };
    expect(translated(steered)).toEqual([{ ...steered, by: ada }]);
  });

  it("shortens what one message can't carry", () => {
    const content = "x".repeat(1_000_000);
    const [run, end] = translated(
      { type: "tool:run", callId: "c", name: "write_file", input: { path: "a", content } },
      {
        type: "tool:end",
        callId: "c",
        name: "write_file",
        outcome: "finished",
        text: "ok",
        diff: content,
        durationMs: 1,
      },
    );
    expect(JSON.stringify(run).length).toBeLessThan(210_000);
    expect(JSON.stringify(end).length).toBeLessThan(210_000);
    expect(JSON.stringify(end)).toContain("characters left out");
  });

  it("calls of subagents have names of their own, and back", () => {
    expect(wireCallId("call_1", "root")).toBe("call_1");
    const name = wireCallId("call_1", "agent-0a1b2c3d");
    expect(name).toBe("agent-0a1b2c3d:call_1");
    expect(callOf(name)).toEqual({ agentId: "agent-0a1b2c3d", callId: "call_1" });
    expect(callOf(wireCallId("call_1", "root"))).toEqual({ agentId: "root", callId: "call_1" });
  });
});
