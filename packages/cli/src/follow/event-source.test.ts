import { describe, expect, it } from "vitest";
import { EventSource } from "./event-source.ts";

const head = { turnId: "turn-0001", epoch: 1, at: "2026-01-01T00:00:00.000Z" };
const event = (seq: number, text: string) => ({
  ...head,
  seq,
  type: "text:delta",
  partId: "p",
  text,
});
const block = (value: object) => `id: 1\nevent: x\ndata: ${JSON.stringify(value)}\n\n`;

describe("EventSource", () => {
  it("reads events in whatever pieces they come", () => {
    const stream = block(event(1, "one\n\ntwo")) + ": still here\n\n" + block(event(2, "ü"));
    const source = new EventSource();
    const events = Array.from(stream).flatMap((piece) => source.push(piece));
    expect(events).toMatchObject([
      { seq: 1, text: "one\n\ntwo" },
      { seq: 2, text: "ü" },
    ]);
  });

  it("leaves out kinds of events that it does not know, and what is no event", () => {
    const source = new EventSource();
    const unknown = block({ ...head, seq: 1, type: "moon:phase" });
    expect(source.push(`${unknown}data: {\n\n${block(event(2, "x"))}`)).toMatchObject([{ seq: 2 }]);
  });
});
