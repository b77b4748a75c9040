import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { untilDeadline } from "./until-deadline.ts";

/** Stands still until it is told to go on. */
class HandClock {
  #now = 0;
  readonly #due = new Map<() => void, number>();

  after(ms: number, callback: () => void): () => void {
    this.#due.set(callback, this.#now + ms);
    return () => this.#due.delete(callback);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const [callback, at] of this.#due) {
      if (at <= this.#now) {
        this.#due.delete(callback);
        callback();
      }
    }
  }

  get timers(): number {
    return this.#due.size;
  }
}

describe("untilDeadline", () => {
  it("A17 what does not end after an abort is left behind at the deadline", async () => {
    const clock = new HandClock();
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
    const clock = new HandClock();
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
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.timers).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
