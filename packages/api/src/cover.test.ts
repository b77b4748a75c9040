import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compact, eventsAfter } from "../test/compact.ts";
import { numbered, randomLog, turnId } from "../test/random-log.ts";
import { applyEvents, brokenCover, emptyTranscript } from "./index.ts";
import type { TurnEvent } from "./turn-event.ts";

function transcriptOf(log: readonly TurnEvent[], start = emptyTranscript(turnId)) {
  return applyEvents(start, log).transcript;
}

const cut = fc.double({ min: 0, max: 1, noNaN: true });

describe("covers", () => {
  it("have no gap and no overlap, whatever was compacted and wherever a client is", () => {
    fc.assert(
      fc.property(randomLog, cut, cut, (log, compactedTo, held) => {
        const stored = log.slice(0, Math.round(compactedTo * log.length));
        const rest = log.slice(stored.length);
        const after = Math.round(held * log.length);
        const delivered = eventsAfter([...compact(stored), ...rest], after);
        expect(brokenCover(delivered, after)).toBeUndefined();
        expect(delivered.at(-1)?.seq ?? after).toBe(log.length);
      }),
      { numRuns: 1_000 },
    );
  });

  it("stay whole when a log is compacted again and again", () => {
    fc.assert(
      fc.property(randomLog, fc.integer({ min: 1, max: 9 }), (log, batch) => {
        let stored: TurnEvent[] = [];
        for (let from = 0; from < log.length; from += batch) {
          stored = compact([...stored, ...log.slice(from, from + batch)]);
          expect(brokenCover(stored, 0)).toBeUndefined();
        }
        expect(stored).toEqual(compact(log));
      }),
    );
  });

  it("show the same transcript from the compacted log as from the live one, from any point", () => {
    fc.assert(
      fc.property(randomLog, cut, (log, held) => {
        const after = Math.max(1, Math.round(held * log.length));
        const seen = transcriptOf(log.slice(0, after));
        const caughtUp = transcriptOf(eventsAfter(compact(log), after), seen);
        const live = transcriptOf(log);
        expect(caughtUp).toEqual(live);
        expect(transcriptOf(compact(log)).parts.map((part) => part.id)).toEqual(
          live.parts.map((part) => part.id),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it("a delta is kept until its part's end, with the full value, is there", () => {
    const open = numbered([
      { type: "text:start", partId: "a" },
      { type: "text:delta", partId: "a", text: "one " },
      { type: "text:delta", partId: "a", text: "two" },
    ]);
    expect(compact(open)).toEqual(open);
    const ended = numbered([
      { type: "text:start", partId: "a" },
      { type: "text:delta", partId: "a", text: "one " },
      { type: "text:delta", partId: "a", text: "two" },
      { type: "text:end", partId: "a", text: "one two" },
    ]);
    expect(compact(ended).map(({ type, seq, fromSeq }) => [type, fromSeq, seq])).toEqual([
      ["text:start", undefined, 1],
      ["text:end", 2, 4],
    ]);
  });

  it("what was told of something while it went on is dropped when its end is told", () => {
    const notice = { type: "notice", partId: "clone", level: "info" } as const;
    const going = numbered([
      { ...notice, phase: "start", text: "Cloning" },
      { ...notice, phase: "delta", text: "Cloning: 10%" },
      { ...notice, phase: "delta", text: "Cloning: 80%" },
    ]);
    expect(compact(going)).toEqual(going);
    expect(transcriptOf(going).parts).toMatchObject([{ text: "Cloning: 80%", open: true }]);
    const ended = numbered([...going, { ...notice, phase: "end", text: "Cloned." }]);
    expect(compact(ended).map(({ seq, fromSeq }) => [fromSeq, seq])).toEqual([
      [undefined, 1],
      [2, 4],
    ]);
    expect(transcriptOf(compact(ended)).parts).toMatchObject([{ text: "Cloned.", open: false }]);
  });

  it("a dropped number joins the next event that is kept, also of another part", () => {
    const log = numbered([
      { type: "text:start", partId: "a" },
      { type: "text:delta", partId: "a", text: "x" },
      { type: "text:start", partId: "b" },
      { type: "text:end", partId: "a", text: "x" },
    ]);
    expect(compact(log).map(({ seq, fromSeq }) => [fromSeq, seq])).toEqual([
      [undefined, 1],
      [2, 3],
      [undefined, 4],
    ]);
    expect(eventsAfter(compact(log), 2).map(({ seq, fromSeq }) => [fromSeq, seq])).toEqual([
      [undefined, 3],
      [undefined, 4],
    ]);
  });

  it("a missing and a doubled number are found", () => {
    const log = numbered([
      { type: "notice", level: "info", text: "1" },
      { type: "notice", level: "info", text: "2" },
      { type: "notice", level: "info", text: "3" },
    ]);
    const [one, two, three] = log;
    if (!one || !two || !three) {
      throw new Error("three events");
    }
    expect(brokenCover(log, 0)).toBeUndefined();
    expect(brokenCover([one, three], 0)).toBe(2);
    expect(brokenCover([one, two, two], 0)).toBe(3);
    expect(brokenCover([{ ...two, fromSeq: 1 }], 1)).toBe(2);
  });
});
