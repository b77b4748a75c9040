import { LogSize, RefusalError, type Size, type TurnEvent, turnLimits } from "@gadget/api";

/** What waits for the database, of one turn; its drone sends the rest again a little later. */
const mostPending = 8_000_000;
/** A database takes 16 MB a document; a number may have two characters here and twelve bytes there. */
const mostInBatch = 1_000_000;

/** A turn's events that were taken and are not durable yet, and how long its log is with them. */
export class PendingEvents {
  readonly #size: LogSize;
  #events: TurnEvent[] = [];
  #characters = 0;

  constructor(stored: Size | undefined) {
    this.#size = new LogSize(stored);
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** Of what is stored and what is pending. */
  get size(): Size {
    return this.#size.size;
  }

  /**
   * Takes what came. False: the log is full, or a single event is larger than any may be, so that
   * the turn can't go on.
   */
  add(events: readonly TurnEvent[]): boolean {
    if (this.#characters > mostPending) {
      throw new RefusalError("unavailable", "What this turn sent before is not stored yet.");
    }
    for (const event of events) {
      const characters = charactersOf(event);
      if (characters > turnLimits.eventCharacters) {
        return false;
      }
      this.#size.add(event, characters);
      this.#characters += characters;
    }
    if (this.#size.isOver(1)) {
      return false;
    }
    this.#events.push(...events);
    return true;
  }

  /** The first ones, as many as the database takes as one document. */
  next(): TurnEvent[] {
    let characters = 0;
    let length = 0;
    for (const event of this.#events) {
      const more = charactersOf(event);
      if (length > 0 && characters + more > mostInBatch) {
        break;
      }
      characters += more;
      length += 1;
    }
    this.#characters -= characters;
    return this.#events.splice(0, length);
  }

  /** Their write failed: they are the next ones again. */
  putBack(events: readonly TurnEvent[]): void {
    this.#events.unshift(...events);
    for (const event of events) {
      this.#characters += charactersOf(event);
    }
  }

  clear(): void {
    this.#events = [];
    this.#characters = 0;
  }
}

const charactersOf = (event: TurnEvent): number => JSON.stringify(event).length;
