import { coverStart, keyOf, pieceOf, replacedBy } from "../src/cover.ts";
import type { TurnEvent } from "../src/turn-event.ts";

function withCover(event: TurnEvent, from: number): TurnEvent {
  if (coverStart(event) === from) {
    return event;
  }
  const { fromSeq: _, ...rest } = event;
  return from === event.seq ? rest : { ...rest, fromSeq: from };
}

/**
 * Drops the deltas whose part has ended (the end event carries the full value); their numbers
 * join the cover of the next event that is kept. Takes and gives events in the order of seq;
 * the covers of the result are the covers of what came in.
 */
export function compact(events: readonly TurnEvent[]): TurnEvent[] {
  const replaced = new Set(events.flatMap(replacedBy).map(keyOf));
  const kept: TurnEvent[] = [];
  let from: number | undefined;
  for (const event of events) {
    from ??= coverStart(event);
    const piece = pieceOf(event);
    if (piece !== undefined && replaced.has(keyOf(piece))) {
      continue;
    }
    kept.push(withCover(event, from));
    from = undefined;
  }
  return kept;
}

/** What a client that holds everything up to `after` still has to see. */
export function eventsAfter(events: readonly TurnEvent[], after: number): TurnEvent[] {
  return events
    .filter((event) => event.seq > after)
    .map((event) => withCover(event, Math.max(coverStart(event), after + 1)));
}
