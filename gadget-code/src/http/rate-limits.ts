import { RefusalError, type UserId } from "@gadget/api";
import { RateLimiterRes } from "rate-limiter-flexible";
import { SharedLimiter } from "./shared-limiter.ts";

interface Limit {
  points: number;
  seconds: number;
}

const limits = {
  /** Tries of one address for one account; a right password gives them back. */
  signIn: { points: 10, seconds: 900 },
  signInByAddress: { points: 50, seconds: 900 },
  signInByAccount: { points: 100, seconds: 3_600 },
  /** Set-up and invitation links. */
  code: { points: 30, seconds: 900 },
  enroll: { points: 100, seconds: 900 },
  /** A script that went wild, not a busy one: each prompt costs a model call anyway. */
  prompt: { points: 6_000, seconds: 60 },
} as const satisfies Record<string, Limit>;

export type Limits = Record<keyof typeof limits, Limit>;

/** How often what costs much or could be guessed may be tried, at all nodes together. */
export function rateLimits(changed: Partial<Limits> = {}, redis?: object) {
  const limiter = (name: keyof Limits): SharedLimiter =>
    new SharedLimiter({ name, ...(changed[name] ?? limits[name]), redis });
  const signIn = limiter("signIn");
  const byAddress = limiter("signInByAddress");
  const byAccount = limiter("signInByAccount");
  const code = limiter("code");
  const enroll = limiter("enroll");
  const prompt = limiter("prompt");

  return {
    /** Counts before the password is looked at; call what it gives back when it was right. */
    async signIn(address: string | undefined, email: string): Promise<() => Promise<void>> {
      const from = networkOf(address);
      const account = email.toLowerCase();
      await spend(byAddress, from);
      await spend(signIn, `${from} ${account}`);
      await spend(byAccount, account);
      return async () => {
        await signIn.delete(`${from} ${account}`);
        await byAddress.reward(from);
        await byAccount.reward(account);
      };
    },
    code: (address: string | undefined) => spend(code, networkOf(address)),
    enroll: (address: string | undefined) => spend(enroll, networkOf(address)),
    /** Prompts and messages, over REST and over sockets. */
    prompt: (userId: UserId) => spend(prompt, userId),
  };
}

export type RateLimits = ReturnType<typeof rateLimits>;

async function spend(limiter: SharedLimiter, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1_000));
    throw new RefusalError(
      "rate_limited",
      `Too many tries. Wait ${waitOf(retryAfterSeconds)} and try again.`,
      { retryAfterSeconds },
    );
  }
}

function waitOf(seconds: number): string {
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

/** One home or office has a whole IPv6 network: its addresses count as one. */
function networkOf(address = "unknown"): string {
  if (!address.includes(":") || address.includes(".")) return address;
  return address.split(":").slice(0, 4).join(":");
}
