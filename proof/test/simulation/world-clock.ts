import type { Clock } from "../../../gadget-drone/src/clock.ts";
import { SimulatedClock } from "../../../gadget-drone/src/simulated-clock.ts";

/** The only time of a simulated world. It goes on when everything that was begun has come to rest. */
export class WorldClock extends SimulatedClock {
  /** One process's view of it: a stopped process's timers wait, a dead one's never fire. */
  process(): ProcessClock {
    return new ProcessClock(this);
  }
}

export class ProcessClock implements Clock {
  readonly #world: WorldClock;
  #waiting: (() => void)[] = [];
  isStopped = false;
  isDead = false;

  constructor(world: WorldClock) {
    this.#world = world;
  }

  now(): number {
    return this.#world.now();
  }

  after(ms: number, callback: () => void): () => void {
    return this.#world.after(Math.max(ms, 0), () => this.run(callback));
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Does something in this process: now, when it is woken up, or never. */
  run(callback: () => void): void {
    if (this.isDead) {
      return;
    }
    if (this.isStopped) {
      this.#waiting.push(callback);
    } else {
      callback();
    }
  }

  wake(): void {
    this.isStopped = false;
    for (const callback of this.#waiting.splice(0)) {
      this.run(callback);
    }
  }
}
