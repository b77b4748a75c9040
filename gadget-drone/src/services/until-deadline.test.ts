import { describe, expect, it } from "vitest";
import { SimulatedClock } from "../simulated-clock.ts";
import { untilDeadline } from "./until-deadline.ts";

describe("untilDeadline", () => {
  it("A17 what does not end after an abort is left behind at the deadline", async () => {
    const clock = new SimulatedClock();
    const turn = new AbortController();
    const work = new Promise<string>(() => {});
    const { signal } = turn;
    const ended = untilDeadline(work, { signal, clock, deadlineMs: 5_000 }, () => "left behind");
    clock.advance(60_000);
    turn.abort();
    clock.advance(4_999);
    const early = await Promise.race([ended, Promise.resolve("not yet")]);
    expect(early).toBe("not yet");
    clock.advance(1);
    expect(await ended).toBe("left behind");
  });

  it("what ends in time is what counts", async () => {
    const clock = new SimulatedClock();
    const turn = new AbortController();
    const { signal } = turn;
    let finish = (_: string) => {};
    const work = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const ended = untilDeadline(work, { signal, clock, deadlineMs: 5_000 }, () => "left behind");
    turn.abort();
    clock.advance(4_000);
    finish("settled");
    expect(await ended).toBe("settled");
  });
});
