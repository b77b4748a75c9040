import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { aiFailureKinds, makeFailure } from "./failure.ts";
import { backoffMs, retryTable, waitOrAbort } from "./retry-table.ts";

const evenly = () => 0;

describe("backoffMs", () => {
  it("doubles up to the longest wait, then gives up", () => {
    const waits = [1, 2, 3, 4, 5, 6].map((attempt) =>
      backoffMs(makeFailure("overloaded"), attempt, retryTable, evenly),
    );
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, undefined, undefined]);
    const table = { network: { attempts: 9, firstWaitMs: 100, longestWaitMs: 300 } };
    expect(backoffMs(makeFailure("network"), 8, table, evenly)).toBe(300);
  });

  it("adds at most a fifth", () => {
    expect(backoffMs(makeFailure("network"), 1, retryTable, () => 0.999)).toBeLessThanOrEqual(600);
  });

  it("never waits less than Retry-After, and not at all for more than two minutes", () => {
    const limited = (retryAfterMs: number) => makeFailure("rate_limited", { retryAfterMs });
    expect(backoffMs(limited(90_000), 1, retryTable, evenly)).toBe(90_000);
    expect(backoffMs(limited(0), 1, retryTable, evenly)).toBe(2_000);
    expect(backoffMs(limited(121_000), 1, retryTable, evenly)).toBeUndefined();
  });

  it("A15 never retries an abort, whatever the table says", () => {
    const row = { attempts: 9, firstWaitMs: 1, longestWaitMs: 1 };
    const failure = makeFailure("aborted", { retryable: true });
    expect(backoffMs(failure, 1, { aborted: row })).toBeUndefined();
  });

  it("retries only what may be retried", () => {
    const retried = aiFailureKinds.filter((kind) => backoffMs(makeFailure(kind), 1) !== undefined);
    expect(retried).toEqual(["rate_limited", "overloaded", "network"]);
    const final = makeFailure("rate_limited", { retryable: false });
    expect(backoffMs(final, 1)).toBeUndefined();
  });
});

describe("waitOrAbort", () => {
  it("A23 ends at the abort and leaves no listener", async () => {
    const controller = new AbortController();
    const waiting = waitOrAbort(60_000, controller.signal);
    expect(getEventListeners(controller.signal, "abort").length).toBe(1);
    controller.abort();
    await waiting;
    expect(getEventListeners(controller.signal, "abort").length).toBe(0);
    await waitOrAbort(60_000, controller.signal);
  });

  it("ends after the time and leaves no listener", async () => {
    const { signal } = new AbortController();
    await waitOrAbort(1, signal);
    expect(getEventListeners(signal, "abort").length).toBe(0);
  });
});
