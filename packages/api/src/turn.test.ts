import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isSettled,
  nextStatus,
  statesAccepting,
  type TurnSignal,
  type TurnStatus,
  turnActions,
  turnSignals,
  turnStatuses,
} from "./turn.ts";

// Written out by hand from the rule, not derived from the table that it checks.
const allowed = new Map<string, TurnStatus>([
  ["queued claim", "processing"],
  ["queued abort", "aborted"],
  ["queued force", "aborted"],
  ["processing release", "queued"],
  ["processing abort", "aborting"],
  ["processing finish", "finished"],
  ["processing fail", "error"],
  ["processing lose", "interrupted"],
  ["aborting release", "aborted"],
  ["aborting finish", "finished"],
  ["aborting fail", "error"],
  ["aborting stop", "aborted"],
  ["aborting force", "aborted"],
  ["aborting lose", "aborted"],
]);

describe("the turn table", () => {
  for (const status of turnStatuses) {
    for (const signal of turnSignals) {
      const expected = allowed.get(`${status} ${signal}`);
      it(`A1 ${status} on ${signal} ${expected ? `becomes ${expected}` : "stays"}`, () => {
        expect(nextStatus(status, signal)).toBe(expected);
        expect(statesAccepting(signal).includes(status)).toBe(expected !== undefined);
      });
    }
  }

  it("A1 knows four terminal states, and no signal leads out of them", () => {
    expect(turnStatuses.filter(isSettled)).toEqual(["finished", "aborted", "error", "interrupted"]);
  });

  it("A2 random sequences of signals settle at most once, and what is settled stays", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...turnSignals), { maxLength: 60 }), (signals) => {
        let status: TurnStatus = "queued";
        const terminal: TurnStatus[] = [];
        for (const signal of signals) {
          const next = nextStatus(status, signal);
          if (next === undefined) {
            continue;
          }
          expect(isSettled(status)).toBe(false);
          status = next;
          if (isSettled(status)) {
            terminal.push(status);
          }
        }
        expect(terminal.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });

  it("A1 an abort leads to aborted, finished or error, never to interrupted", () => {
    const reached = new Set<TurnStatus>();
    const walk = (status: TurnStatus): void => {
      for (const signal of turnSignals) {
        const next = nextStatus(status, signal);
        if (next !== undefined && !reached.has(next)) {
          reached.add(next);
          walk(next);
        }
      }
    };
    walk("aborting");
    expect([...reached].sort()).toEqual(["aborted", "error", "finished"]);
  });

  it("enables the buttons by the same table", () => {
    const cancellable = turnStatuses.filter((status) => turnActions(status).cancel);
    expect(cancellable).toEqual(statesAccepting("abort" satisfies TurnSignal));
    expect(turnStatuses.filter((status) => turnActions(status).forceStop)).toEqual(["aborting"]);
    expect(turnStatuses.filter((status) => turnActions(status).finishUp)).toEqual(["processing"]);
    expect(turnStatuses.filter((status) => turnActions(status).continue)).toEqual([
      "aborted",
      "error",
      "interrupted",
    ]);
  });
});
