import { keyOf, pieceOf, replacedBy } from "./cover.ts";
import type { TurnEvent } from "./turn-event.ts";

/**
 * What one turn may write. The drone shortens an event that is larger and ends a turn in time; the
 * server takes no more, whatever a drone sends.
 */
export const turnLimits = {
  /** Of one event, as JSON. A message to the server may have three bytes for each. */
  eventCharacters: 1_000_000,
  /** Of all that the log keeps, as JSON: deltas count until their part has ended. */
  logCharacters: 32_000_000,
  logEvents: 50_000,
} as const;

/** What a person, the drone and the model are told. */
export const fullLog =
  "This turn has written as much as one turn may: 32 MB or 50,000 events. What it did is kept; go on in a new turn.";

export interface Size {
  events: number;
  characters: number;
}

/** How much a turn's log keeps, while it grows. */
export class LogSize {
  #events: number;
  #characters: number;
  readonly #pieces = new Map<string, Size>();

  constructor({ events, characters }: Size = { events: 0, characters: 0 }) {
    this.#events = events;
    this.#characters = characters;
  }

  get size(): Size {
    return { events: this.#events, characters: this.#characters };
  }

  add(event: TurnEvent, characters: number): void {
    this.#count(1, characters);
    const piece = pieceOf(event);
    if (piece !== undefined) {
      const key = keyOf(piece);
      const before = this.#pieces.get(key) ?? { events: 0, characters: 0 };
      this.#pieces.set(key, {
        events: before.events + 1,
        characters: before.characters + characters,
      });
    }
    for (const replaced of replacedBy(event)) {
      const gone = this.#pieces.get(keyOf(replaced));
      if (gone !== undefined) {
        this.#pieces.delete(keyOf(replaced));
        this.#count(-gone.events, -gone.characters);
      }
    }
  }

  /** Whether it holds more than this share of what it may hold. */
  isOver(share: number): boolean {
    const { logEvents, logCharacters } = turnLimits;
    return this.#events > share * logEvents || this.#characters > share * logCharacters;
  }

  #count(events: number, characters: number): void {
    this.#events += events;
    this.#characters += characters;
  }
}
