import type { AgentEvent } from "@gadget/agent";
import { makeFailure } from "@gadget/ai";
import type { TurnEventBody } from "@gadget/api";
import { beforeEach, describe, expect, it } from "vitest";
import { SimulatedClock } from "../simulated-clock.ts";
import { ModelSilence } from "./model-silence.ts";

const usage: AgentEvent = { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } };
const word: AgentEvent = { type: "text:delta", id: "a", text: "word" };

describe("a model's silence", () => {
  let clock: SimulatedClock;
  let told: TurnEventBody[];
  let turn: AbortController;
  let silence: ModelSilence;

  beforeEach(() => {
    clock = new SimulatedClock();
    told = [];
    turn = new AbortController();
    const emit = (event: TurnEventBody) => void told.push(event);
    silence = new ModelSilence({ clock, signal: turn.signal, emit });
  });

  it("is told once after two seconds, before the first word and in the middle", () => {
    silence.follow({ type: "step", step: 1 });
    clock.advance(1_999);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toMatchObject([{ code: "model", partId: "model-1", waiting: { ms: 2_000 } }]);
    clock.advance(60_000);
    expect(told).toHaveLength(1);
    silence.follow(word);
    clock.advance(2_000);
    expect(told).toHaveLength(2);
  });

  it("is not told while words come", () => {
    silence.follow({ type: "step", step: 1 });
    for (let second = 0; second < 20; second += 1) {
      clock.advance(1_000);
      silence.follow(word);
    }
    clock.advance(1_999);
    expect(told).toEqual([]);
  });

  it("is over with the call, whose name is given only where it was told", () => {
    silence.follow({ type: "step", step: 1 });
    expect(silence.follow(usage)).toBeUndefined();
    clock.advance(10_000);
    expect(told).toEqual([]);
    silence.follow({ type: "step", step: 2 });
    clock.advance(3_000);
    expect(silence.follow(usage)).toBe("model-2");
    expect(clock.next()).toBeUndefined();
  });

  it("is no silence while the provider asked to wait, and begins anew after that", () => {
    silence.follow({ type: "step", step: 1 });
    const failure = makeFailure("rate_limited", { status: 429 });
    silence.follow({ type: "backoff:start", attempt: 1, waitMs: 30_000, failure });
    clock.advance(30_000);
    expect(told).toEqual([]);
    silence.follow({ type: "backoff:end", attempt: 1 });
    clock.advance(2_000);
    expect(told).toHaveLength(1);
  });

  it("is the turn's, not an agent's: a subagent that is answered breaks it", () => {
    silence.follow({ type: "step", step: 1 });
    const child = (event: AgentEvent): AgentEvent => {
      return { type: "subagent:event", childId: "agent-1", event };
    };
    silence.follow(child({ type: "step", step: 1 }));
    clock.advance(1_500);
    silence.follow(child(word));
    clock.advance(1_500);
    expect(told).toEqual([]);
    silence.follow(child(usage));
    clock.advance(500);
    expect(told).toMatchObject([{ partId: "model-1" }]);
  });

  it("is not told of a turn that was aborted", () => {
    silence.follow({ type: "step", step: 1 });
    turn.abort();
    clock.advance(5_000);
    expect(told).toEqual([]);
  });
});
