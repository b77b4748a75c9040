import { type HistoryMessage, TurnId } from "@gadget/api";
import { describe, expect, it } from "vitest";
import { lastWholeTurn } from "./last-whole-turn.ts";

const first = TurnId.parse("turn-one-1");
const second = TurnId.parse("turn-two-2");

function history(...turns: TurnId[]): HistoryMessage[] {
  return turns.map((turnId) => ({ role: "user", turnId, text: "hello" }));
}

describe("the last whole turn", () => {
  it("is the one whose messages are all among the first", () => {
    const all = history(first, first, second, second);
    expect([0, 1, 2, 3, 4, 9].map((count) => lastWholeTurn(all, count))).toEqual([
      undefined,
      undefined,
      first,
      first,
      second,
      second,
    ]);
  });

  it("is not known where the server names no turns", () => {
    expect(lastWholeTurn([{ role: "user", text: "hello" }], 1)).toBeUndefined();
  });
});
