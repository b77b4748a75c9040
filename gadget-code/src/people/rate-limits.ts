import { isIPv6 } from "node:net";
import { RefusalError, type UserId } from "@gadget/api";
import { RateLimiterRes } from "rate-limiter-flexible";
import { SharedLimiter } from "./shared-limiter.ts";
import { Turnstile } from "./turnstile.ts";

interface Limit {
  points: number;
  seconds: number;
}

const limits = {
  /** Tries of one address for one account; a right password gives them back. */
  signIn: { points: 10, seconds: 900 },
  signInByAddress: { points: 50, seconds: 900 },
  signInByAccount: { points: 100, seconds: 3_600 },
  /** After these, all strangers together: it slows guessing down and locks nobody out for long. */
  signInSlowly: { points: 1, seconds: 30 },
  /** Of a browser in which somebody has signed in to the account, whatever strangers do. */
  signInKnown: { points: 10, seconds: 900 },
  /** The current password, asked of somebody who is signed in. */
  ownPassword: { points: 10, seconds: 900 },
  /** Set-up and invitation links. */
  code: { points: 30, seconds: 900 },
  enroll: { points: 100, seconds: 900 },
  /** A script that went wild, not a busy one: each prompt costs a model call anyway. */
  prompt: { points: 6_000, seconds: 60 },
  /** What of prompts is stored, in characters. */
  promptText: { points: 100_000_000, seconds: 86_400 },
  /** A copy of a session may be as long as a session. */
  copy: { points: 60, seconds: 3_600 },
} as const satisfies Record<string, Limit>;

export type Limits = Record<keyof typeof limits, Limit>;

/** How often what costs much or could be guessed may be tried, at all nodes together. */
export function rateLimits(changed: Partial<Limits> = {}, redis?: object) {
  const limiter = (name: keyof Limits): SharedLimiter =>
    new SharedLimiter({ name, ...(changed[name] ?? limits[name]), redis });
  const signIn = limiter("signIn");
  const byAddress = limiter("signInByAddress");
  const byAccount = limiter("signInByAccount");
  const slowly = limiter("signInSlowly");
  const byBrowser = limiter("signInKnown");
  const own = limiter("ownPassword");
  const code = limiter("code");
  const enroll = limiter("enroll");
  const prompt = limiter("prompt");
  const promptText = limiter("promptText");
  const copy = limiter("copy");

  return {
    /** Counts before the password is looked at; call what it gives back when it was right. */
    async signIn(
      address: string | undefined,
      email: string,
      browser: string | undefined,
    ): Promise<() => Promise<void>> {
      if (browser !== undefined) {
        await spend(byBrowser, browser);
        return () => byBrowser.delete(browser);
      }
      const from = networkOf(address);
      const account = email.toLowerCase();
      await spend(byAddress, from);
      await spend(signIn, `${from} ${account}`);
      await spend(byAccount, account).catch(() => spend(slowly, account));
      return async () => {
        await signIn.delete(`${from} ${account}`);
        await byAddress.reward(from);
        await byAccount.reward(account);
      };
    },
    async ownPassword(userId: UserId): Promise<() => Promise<void>> {
      await spend(own, userId);
      return () => own.delete(userId);
    },
    code: (address: string | undefined) => spend(code, networkOf(address)),
    enroll: (address: string | undefined) => spend(enroll, networkOf(address)),
    /** Prompts and messages, over REST and over sockets. */
    async prompt(userId: UserId, text = ""): Promise<void> {
      await spend(prompt, userId);
      await spend(promptText, userId, text.length);
    },
    copy: (userId: UserId) => spend(copy, userId),
    ...turnstiles(),
  };
}

/** What reads logs holds up to a few megabytes each: a few at a time for each person and node. */
function turnstiles() {
  const wait = "Too many large reads at once. Wait until some of them have ended.";
  return {
    /** Logs, transcripts and exports, until the reader has taken the last byte. */
    reads: new Turnstile({ inside: 4, waiting: 100, sentence: wait }),
    /** The stretch of a log that an event stream reads before it is live. */
    streamReads: new Turnstile({ inside: 2, waiting: 100, sentence: wait }),
    /** One after the other. */
    searches: new Turnstile({
      inside: 1,
      waiting: 10,
      sentence: "Too many searches at once. Wait until one has ended.",
    }),
    /** Walks over a workspace: a drone has one thread for all of them. */
    finds: new Turnstile({
      inside: 2,
      waiting: 20,
      sentence: "Too many searches for files at once. Wait until one has ended.",
    }),
    streams: new Turnstile({
      inside: 50,
      waiting: 0,
      sentence: "50 event streams are open already. Close one first.",
    }),
    ...droneTurnstiles(),
  };
}

/** One after the other for each drone: what it asks for may take many reads. */
function droneTurnstiles() {
  const oneOf = (waiting: number, sentence: string): Turnstile =>
    new Turnstile({ inside: 1, waiting, sentence });
  return {
    hellos: oneOf(5, "This drone said hello many times at once. Wait for an answer."),
    heartbeats: oneOf(5, "This drone sent many heartbeats at once. Wait for an answer."),
    /** As many turns as a drone may hold ask for theirs at the same time. */
    histories: oneOf(1_000, "Too many pages of history at once. Wait for some of them."),
  };
}

export type RateLimits = ReturnType<typeof rateLimits>;

async function spend(limiter: SharedLimiter, key: string, points = 1): Promise<void> {
  try {
    await limiter.consume(key, points);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) {
      throw error;
    }
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

/** One home or office has a whole IPv6 network: its addresses count as one, however written. */
function networkOf(address = "unknown"): string {
  const [plain = ""] = address.replace(/^::ffff:(?=\d+\.)/i, "").split("%", 1);
  if (!isIPv6(plain)) {
    return plain;
  }
  const [head = "", tail] = plain.split("::", 2);
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  // An address ends in IPv4's form: its last part is two groups.
  const missing = tail === undefined ? 0 : 8 - before.length - after.length - +plain.includes(".");
  const groups = [...before, ...Array<number>(missing).fill(0), ...after];
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
