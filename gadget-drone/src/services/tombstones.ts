import type { TurnId } from "@gadget/api";
import type { Clock } from "../clock.ts";

const keptMs = 30 * 60_000;
const keptMost = 5_000;

/** Turns that were aborted: an abort may overtake its order, which is then refused (A6). */
export class Tombstones {
  readonly #clock: Clock;
  readonly #since = new Map<TurnId, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(turnId: TurnId): void {
    this.#since.delete(turnId);
    this.#since.set(turnId, this.#clock.now());
    for (const [oldest, since] of this.#since) {
      if (this.#since.size <= keptMost && this.#clock.now() - since < keptMs) {
        break;
      }
      this.#since.delete(oldest);
    }
  }

  has(turnId: TurnId): boolean {
    return this.#since.has(turnId);
  }
}
