import type { Clock } from "../clock.ts";

/** How much earlier than the server we let go, so that it never gives away what still runs here. */
function earlier(graceMs: number): number {
  return Math.min(graceMs * 0.2, 5_000);
}

/**
 * The right to work for the server's turns (rule A34). It is counted from the sending of the last
 * heartbeat that was answered: the server can't have heard from us before that.
 */
export class Lease {
  readonly #clock: Clock;
  #renewedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#renewedAt = clock.now();
  }

  /** A hello or heartbeat that was sent at `sentAt` has been answered. */
  renew(sentAt: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, sentAt);
  }

  /** Asked before every write, since timers fire late in a process that was stopped. */
  isHeld(graceMs: number): boolean {
    return this.#leftOf(graceMs) > 0;
  }

  /** Calls back once, when the lease has ended; the returned function stops watching. */
  watch(graceMs: number, onLost: () => void): () => void {
    let cancel = () => {};
    const check = () => {
      const left = this.#leftOf(graceMs);
      if (left > 0) {
        cancel = this.#clock.after(left, check);
      } else {
        onLost();
      }
    };
    cancel = this.#clock.after(Math.max(this.#leftOf(graceMs), 0), check);
    return () => cancel();
  }

  #leftOf(graceMs: number): number {
    return this.#renewedAt + graceMs - earlier(graceMs) - this.#clock.now();
  }
}
