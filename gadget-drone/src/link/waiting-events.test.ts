import { CallId, type TurnEventBody } from "@gadget/api";
import { expect, it } from "vitest";
import { WaitingEvents } from "./waiting-events.ts";

const output = (text: string): TurnEventBody => ({
  type: "tool:output",
  callId: CallId.parse("c1"),
  text,
});

function textsOf(...added: string[]): string[] {
  const waiting = new WaitingEvents();
  for (const text of added) {
    waiting.add(output(text));
  }
  return waiting.take().map((body) => (body.type === "tool:output" ? body.text : ""));
}

it("joins the deltas of one part as long as they fit", () => {
  expect(textsOf("a", "b", "c")).toEqual(["abc"]);
  expect(textsOf("a".repeat(20_000), "b".repeat(20_000)).map(({ length }) => length)).toEqual([
    20_000, 20_000,
  ]);
});

it("keeps an empty delta as one", () => {
  expect(textsOf("")).toEqual([""]);
});

it("cuts a long delta, but no character in two", () => {
  for (const start of ["", "a", "é"]) {
    const text = start + "🙂".repeat(50_000);
    const texts = textsOf(text);
    expect(texts.join("") === text).toBe(true);
    expect(texts.some((piece) => /\p{Surrogate}/u.test(piece))).toBe(false);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(32_000);
  }
});
