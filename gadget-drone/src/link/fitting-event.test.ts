import { CallId, newId, type TurnEvent, TurnId, turnLimits } from "@gadget/api";
import { describe, expect, it } from "vitest";
import { fittingEvent } from "./fitting-event.ts";

const head = { turnId: newId(TurnId), seq: 7, epoch: 1, at: "2026-01-01T00:00:00.000Z" };
const toolEnd = (input: unknown, text: string): TurnEvent => ({
  ...head,
  type: "tool:end",
  callId: CallId.parse("call-1"),
  name: "write_file",
  outcome: "finished",
  input,
  text,
});
const lengthOf = (event: TurnEvent) => JSON.stringify(event).length;

describe("an event on its way to the server", () => {
  it("stays as it is where it fits", () => {
    const event = toolEnd({ path: "a", content: "x".repeat(900_000) }, "Wrote a");
    expect(fittingEvent(event)).toBe(event);
  });

  it("loses the middle of its long texts where it does not, and says so", () => {
    const event = fittingEvent(toolEnd({ path: "a", content: `A${"x".repeat(1_200_000)}Z` }, "ok"));
    expect(lengthOf(event)).toBeLessThan(turnLimits.eventCharacters);
    const { input, ...rest } = event as TurnEvent & { input: { path: string; content: string } };
    expect(rest).toMatchObject({ ...head, text: "ok", outcome: "finished" });
    expect(input.path).toBe("a");
    expect(input.content).toMatch(/^Axx[^]*characters were left out[^]*xxZ$/);
  });

  it.each([
    ["many texts", { all: Array.from({ length: 3_000 }, () => "😀".repeat(400)) }],
    ["many numbers", { all: Array.from({ length: 600_000 }, () => 1) }],
    ["much that is escaped", { all: "\u0000".repeat(700_000) }],
  ])("of %s fits, and is well-formed", (_, input) => {
    const event = fittingEvent(toolEnd(input, "\u0001".repeat(400_000)));
    expect(lengthOf(event)).toBeLessThanOrEqual(turnLimits.eventCharacters);
    expect(JSON.stringify(event)).not.toMatch(/\\ud[89a-f]/);
    expect(event).toMatchObject({ ...head, name: "write_file" });
  });
});
