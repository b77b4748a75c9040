import { isSettled } from "./turn.ts";
import type { TurnEvent } from "./turn-event.ts";

/** The first number that an event stands for; the last is its `seq`. */
export function coverStart(event: TurnEvent): number {
  return event.fromSeq ?? event.seq;
}

/** The deltas of one part, or the silences of one model call: what its end event replaces. */
export interface Pieces {
  type: "text:delta" | "reasoning:delta" | "tool:input" | "tool:output" | "notice";
  /** A part's id or a call's, by the type. */
  id: string;
}

/** Which part's delta an event is. */
export function pieceOf(event: TurnEvent): Pieces | undefined {
  switch (event.type) {
    case "text:delta":
    case "reasoning:delta":
      return { type: event.type, id: event.partId };
    case "tool:input":
    case "tool:output":
      return { type: event.type, id: event.callId };
    case "notice":
      return event.phase === "delta" && event.partId !== undefined
        ? { type: event.type, id: event.partId }
        : undefined;
    default:
      return undefined;
  }
}

/** Whether an event is a delta: one that its part's end may replace. */
export function isDelta(event: TurnEvent): boolean {
  return pieceOf(event) !== undefined;
}

/** The deltas whose full value an end event carries. */
export function replacedBy(event: TurnEvent): Pieces[] {
  switch (event.type) {
    case "text:end":
      return [{ type: "text:delta", id: event.partId }];
    case "reasoning:end":
      return [{ type: "reasoning:delta", id: event.partId }];
    case "tool:end": {
      const pieces: Pieces[] = [];
      if (event.input !== undefined) {
        pieces.push({ type: "tool:input", id: event.callId });
      }
      if (event.output !== undefined) {
        pieces.push({ type: "tool:output", id: event.callId });
      }
      return pieces;
    }
    case "notice":
      return event.phase === "end" && event.partId !== undefined
        ? [{ type: "notice", id: event.partId }]
        : [];
    case "usage":
      return event.call === undefined ? [] : [{ type: "notice", id: event.call }];
    default:
      return [];
  }
}

export const keyOf = ({ type, id }: Pieces): string => `${type} ${id}`;

/** The first number that is missing or delivered twice, or undefined where the covers are whole. */
export function brokenCover(events: readonly TurnEvent[], after: number): number | undefined {
  let expected = after + 1;
  for (const event of events) {
    if (coverStart(event) !== expected || event.seq < expected) {
      return expected;
    }
    expected = event.seq + 1;
  }
  return undefined;
}

/** The event that ends a turn's log: the last one, always. */
export function isTerminal(event: TurnEvent): boolean {
  return event.type === "turn:changed" && isSettled(event.status);
}
