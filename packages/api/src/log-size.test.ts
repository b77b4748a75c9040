import { describe, expect, it } from "vitest";
import { newId, TurnId } from "./id.ts";
import { LogSize, turnLimits } from "./log-size.ts";
import type { TurnEvent, TurnEventBody } from "./turn-event.ts";

const head = { turnId: newId(TurnId), epoch: 1, at: "2026-01-01T00:00:00.000Z" };
const event = (seq: number, body: TurnEventBody): TurnEvent => ({ ...head, seq, ...body });

describe("the size of a log", () => {
  it("counts deltas only until their part has ended", () => {
    const log = new LogSize();
    log.add(event(1, { type: "text:start", partId: "p" }), 10);
    for (let seq = 2; seq < 12; seq += 1) {
      log.add(event(seq, { type: "text:delta", partId: "p", text: "a" }), 100);
    }
    expect(log.size).toEqual({ events: 11, characters: 1_010 });
    log.add(event(12, { type: "text:end", partId: "p", text: "aaaaaaaaaa" }), 20);
    expect(log.size).toEqual({ events: 2, characters: 30 });
  });

  it("goes on from what was stored, and is over by characters or by events", () => {
    const { logCharacters, logEvents } = turnLimits;
    const notice = event(1, { type: "notice", level: "info", text: "" });
    const almost = new LogSize({ events: 1, characters: logCharacters - 1 });
    expect(almost.isOver(1)).toBe(false);
    expect(almost.isOver(0.5)).toBe(true);
    almost.add(notice, 2);
    expect(almost.isOver(1)).toBe(true);
    const many = new LogSize({ events: logEvents, characters: 0 });
    many.add(notice, 1);
    expect(many.isOver(1)).toBe(true);
  });
});
