import { RefusalError } from "@gadget/api";

export interface TurnstileLimits {
  /** So many of one person are inside at the same time; */
  inside: number;
  /** so many more may wait, the rest is refused. */
  waiting: number;
  sentence: string;
}

interface Queue {
  inside: number;
  waiting: (() => void)[];
}

/** Lets a few of each person's requests in at a time, so that nobody takes all there is. */
export class Turnstile {
  readonly #limits: TurnstileLimits;
  readonly #queues = new Map<string, Queue>();

  constructor(limits: TurnstileLimits) {
    this.#limits = limits;
  }

  /** Resolves when it is one's turn, with the function that lets the next one in. */
  async enter(person: string): Promise<() => void> {
    const queue = this.#queues.get(person) ?? { inside: 0, waiting: [] };
    this.#queues.set(person, queue);
    if (queue.inside < this.#limits.inside) {
      queue.inside += 1;
    } else if (queue.waiting.length < this.#limits.waiting) {
      await new Promise<void>((resolve) => queue.waiting.push(resolve));
    } else {
      throw new RefusalError("rate_limited", this.#limits.sentence, { retryAfterSeconds: 1 });
    }
    let left = false;
    return () => {
      if (!left) {
        left = true;
        this.#leave(person, queue);
      }
    };
  }

  /** Whoever waits next takes over the place. */
  #leave(person: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    queue.inside -= 1;
    if (queue.inside === 0) {
      this.#queues.delete(person);
    }
  }

  async run<Result>(person: string, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(person);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
