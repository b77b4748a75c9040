import type { Instant } from "@gadget/api";
import type { Clock } from "../clock.ts";

/** The server's time, counted on our own clock since its last word about it. */
export class ServerTime {
  readonly #clock: Clock;
  #serverMs: number;
  #at: number;

  constructor(clock: Clock, startMs = Date.now()) {
    this.#clock = clock;
    this.#serverMs = startMs;
    this.#at = clock.now();
  }

  /** `instant` was said halfway between asking and hearing the answer. */
  learn(instant: Instant, askedAt: number): void {
    this.#serverMs = Date.parse(instant);
    this.#at = (askedAt + this.#clock.now()) / 2;
  }

  instant(): Instant {
    return new Date(this.#serverMs + this.#clock.now() - this.#at).toISOString();
  }
}
