import { RefusalError, type TurnEvent, turnLimits } from "@gadget/api";
import type { LiveTurn } from "../state/live-turn.ts";

/** What waits for the database, of one turn; its drone sends the rest again a little later. */
const mostPending = 8_000_000;
/** A database takes 16 MB a document; a number may have two characters here and twelve bytes there. */
const mostInBatch = 1_000_000;

/**
 * Counts what came. False: the log is full, or a single event is larger than any may be, so that
 * the turn can't go on.
 */
export function hasRoom(turn: LiveTurn, events: readonly TurnEvent[]): boolean {
  if (turn.pendingCharacters > mostPending) {
    throw new RefusalError("unavailable", "What this turn sent before is not stored yet.");
  }
  for (const event of events) {
    const characters = charactersOf(event);
    if (characters > turnLimits.eventCharacters) {
      return false;
    }
    turn.size.add(event, characters);
    turn.pendingCharacters += characters;
  }
  return !turn.size.isOver(1);
}

/** Takes so many of what is pending that the database takes them as one document. */
export function nextBatch(turn: LiveTurn): TurnEvent[] {
  let characters = 0;
  let length = 0;
  for (const event of turn.pending) {
    const more = charactersOf(event);
    if (length > 0 && characters + more > mostInBatch) {
      break;
    }
    characters += more;
    length += 1;
  }
  turn.pendingCharacters -= characters;
  return turn.pending.splice(0, length);
}

/** The write failed: they are the next ones again. */
export function putBack(turn: LiveTurn, events: readonly TurnEvent[]): void {
  turn.pending.unshift(...events);
  for (const event of events) {
    turn.pendingCharacters += charactersOf(event);
  }
}

const charactersOf = (event: TurnEvent): number => JSON.stringify(event).length;
