import type { TurnEvent } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";

/** What a turn's log says of the turn itself: it is written with the turn's end. */
export type TurnFacts = Partial<Pick<StoredTurn, "usage" | "filesChanged" | "stopped">>;

/** The same reducer for a turn that is held, as its events are stored, and for a whole log. */
export function factsAfter(facts: TurnFacts, events: readonly TurnEvent[]): TurnFacts {
  let after = facts;
  for (const event of events) {
    if (event.type === "usage") {
      after = { ...after, usage: event.usage };
    }
    if (event.type === "file:changed") {
      const others = after.filesChanged?.filter(({ path }) => path !== event.file.path) ?? [];
      after = { ...after, filesChanged: [...others, event.file] };
    }
    if (event.type === "turn:changed" && event.stopped !== undefined) {
      after = { ...after, stopped: event.stopped };
    }
  }
  return after;
}
