import type { AiFailure, AiFailureKind } from "./failure.ts";

interface RetryRule {
  /** How many requests at most, the first one included. */
  attempts: number;
  /** The wait before the second request; it doubles from there. */
  firstWaitMs: number;
  longestWaitMs: number;
}

export type RetryTable = Partial<Record<AiFailureKind, RetryRule>>;

/** Kinds without a row are never retried. */
export const retryTable: RetryTable = {
  rate_limited: { attempts: 6, firstWaitMs: 2_000, longestWaitMs: 60_000 },
  overloaded: { attempts: 5, firstWaitMs: 1_000, longestWaitMs: 30_000 },
  network: { attempts: 4, firstWaitMs: 500, longestWaitMs: 8_000 },
};

/** A server that asks for more than this gets no retry: a person should decide. */
const longestRetryAfterMs = 120_000;

/**
 * How long to wait after the given number of requests, or undefined to give up. `Retry-After` is
 * a lower bound; up to a fifth is added so that many orders don't come back at the same instant.
 */
export function backoffMs(
  failure: AiFailure,
  attempt: number,
  table: RetryTable = retryTable,
  random: () => number = Math.random,
): number | undefined {
  const rule = table[failure.kind];
  if (failure.kind === "aborted" || !failure.retryable || !rule || attempt >= rule.attempts) {
    return undefined;
  }
  const asked = failure.retryAfterMs ?? 0;
  if (asked > longestRetryAfterMs) {
    return undefined;
  }
  const doubled = Math.min(rule.firstWaitMs * 2 ** (attempt - 1), rule.longestWaitMs);
  return Math.round(Math.max(asked, doubled) * (1 + random() / 5));
}

/** Resolves after the time or at the abort, whichever is first, and leaves no listener behind. */
export function waitOrAbort(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
