import { type ChatTurn, emptyTranscript, type Usage } from "@gadget/api";
import { describe, expect, it } from "vitest";
import { otherTurnId, sampleTurn, session, turnId } from "../test/samples.ts";
import { sessionCost } from "./session-cost.ts";
import { emptySession, putTranscript, putTurn, type SessionState } from "./session-state.ts";

const price = { input: 10, output: 0 };
const usage = (inputTokens: number): Usage => ({ inputTokens, outputTokens: 0 });
const first = sampleTurn({ status: "finished", price, usage: usage(100_000) });
const second = sampleTurn({ id: otherTurnId, price, createdAt: "2026-01-02T04:00:00.000Z" });

function held(...turns: ChatTurn[]): SessionState {
  return turns.reduce(putTurn, { ...emptySession, session });
}

describe("what a session costs", () => {
  it("is nothing to tell of without a price", () => {
    const { price: _, ...free } = first;
    expect(sessionCost(held(free))).toBeUndefined();
  });

  it("is what the held turns cost until the server has a sum", () => {
    expect(sessionCost(held(first))).toEqual({ amount: 1 });
  });

  it("is the server's sum and what came after it, as its tokens come", () => {
    const cost = { amount: 5, throughTurnId: turnId };
    const state = { ...held(first, second), session: { ...session, cost } };
    expect(sessionCost(state)).toMatchObject({ amount: 5 });
    const used = { ...usage(50_000), estimated: true };
    const live = putTranscript(state, { ...emptyTranscript(otherTurnId), lastSeq: 2, usage: used });
    expect(sessionCost(live)).toEqual({ amount: 5.5, estimated: true });
    const summed = { amount: 5.5, estimated: true, throughTurnId: otherTurnId };
    const settled = { ...live, session: { ...session, cost: summed } };
    expect(sessionCost(settled)?.amount).toBe(5.5);
  });
});
