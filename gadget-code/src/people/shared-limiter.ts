import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";

/** A limiter that takes longer is passed over: nobody waits at the door for Redis. */
const answerMs = 300;

export interface LimiterOptions {
  name: string;
  points: number;
  seconds: number;
  /** A connection to Redis, where there are other nodes. */
  redis: object | undefined;
}

type Limiter = Pick<RateLimiterMemory, "consume" | "delete" | "reward">;

/**
 * Counts for all nodes together in Redis. While that does not answer each node counts for
 * itself, so that nobody is refused because of it, and nobody tries without end.
 */
export class SharedLimiter {
  readonly #own: Limiter;
  readonly #shared: Limiter | undefined;

  constructor({ name, points, seconds, redis }: LimiterOptions) {
    const options = { points, duration: seconds, keyPrefix: `gadget:limit:${name}` };
    this.#own = new RateLimiterMemory(options);
    if (redis === undefined) {
      return;
    }
    this.#shared = new RateLimiterRedis({
      ...options,
      storeClient: redis,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
    });
  }

  /** Throws a RateLimiterRes where it was one too many. */
  async consume(key: string, points = 1): Promise<void> {
    await this.#count((limiter) => limiter.consume(key, points));
  }

  /** Forgets all tries of this key. */
  async delete(key: string): Promise<void> {
    await this.#count((limiter) => limiter.delete(key));
  }

  /** Gives one try back. */
  async reward(key: string): Promise<void> {
    await this.#count((limiter) => limiter.reward(key));
  }

  async #count(act: (limiter: Limiter) => Promise<unknown>): Promise<void> {
    if (this.#shared !== undefined && (await inTime(act(this.#shared)))) {
      return;
    }
    await act(this.#own);
  }
}

/** False: it did not answer in time, or could not be reached. */
async function inTime(counting: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), answerMs);
  });
  try {
    return await Promise.race([counting.then(() => true), late]);
  } catch (error) {
    if (error instanceof RateLimiterRes) {
      throw error;
    }
    return false;
  } finally {
    clearTimeout(timer);
  }
}
