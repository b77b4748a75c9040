import type { TurnEvent, TurnId } from "@gadget/api";

/** Without events: some may have been missed, and the log has them. */
type Listener = (events: readonly TurnEvent[] | undefined) => void;

/** The live events of turns, for streams on this node. */
export class TurnFeed {
  readonly #listeners = new Map<TurnId, Set<Listener>>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** What other nodes published may have been lost. */
  missed(): void {
    for (const listeners of this.#listeners.values()) {
      for (const listener of listeners) {
        listener(undefined);
      }
    }
  }

  publish(turnId: TurnId, events: readonly TurnEvent[]): void {
    for (const listener of this.#listeners.get(turnId) ?? []) {
      listener(events);
    }
  }

  /** Returns the function that ends the subscription. */
  subscribe(turnId: TurnId, listener: Listener): () => void {
    const listeners = this.#listeners.get(turnId) ?? new Set();
    this.#listeners.set(turnId, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) {
        this.#listeners.delete(turnId);
      }
    };
  }
}
