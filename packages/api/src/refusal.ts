// oxlint-disable typescript/no-unsafe-type-assertion -- the keys of a literal are known to be its codes
import * as z from "zod/mini";

/**
 * Every "no" that is said to a person or a program: its HTTP status and the sentence that is
 * used when the place that refuses has nothing more exact to say.
 */
export const refusals = {
  invalid: { status: 400, sentence: "The request is not valid. Check its fields and try again." },
  unauthenticated: { status: 401, sentence: "Sign in first." },
  forbidden: { status: 403, sentence: "You are not allowed to do this. Ask the owner." },
  not_found: { status: 404, sentence: "There is no such thing, or it is not yours." },
  wrong_method: {
    status: 405,
    sentence: "This path does not take that method. The Allow header says which ones it takes.",
  },
  conflict: { status: 409, sentence: "This does not fit the current state. Reload and try again." },
  busy: {
    status: 409,
    sentence: "A turn is running in this session. Queue or steer a message, or cancel it first.",
  },
  not_running: { status: 409, sentence: "This turn has already settled." },
  closed: {
    status: 409,
    sentence: "This question is closed. Nothing waits for an answer any more.",
  },
  owner_exists: { status: 409, sentence: "This server has an owner already. Sign in instead." },
  drone_offline: {
    status: 409,
    sentence: "The drone is not connected. Start it, or choose another one.",
  },
  in_use: { status: 409, sentence: "This is still in use. Stop what uses it first." },
  queue_full: {
    status: 409,
    sentence: "Ten messages wait already. Delete one or wait until the turn has taken some.",
  },
  too_large: { status: 413, sentence: "This is too large. Shorten it and try again." },
  protocol: {
    status: 426,
    sentence: "Drone and server speak different protocol versions. Update the older one.",
  },
  rate_limited: { status: 429, sentence: "Too many tries. Wait a little and try again." },
  internal: {
    status: 500,
    sentence: "Something went wrong on the server. Its log says what; try again.",
  },
  unavailable: {
    status: 503,
    sentence: "The server can't do this right now. Try again in a few seconds.",
  },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type RefusalCode = keyof typeof refusals;

export const refusalCodes = Object.keys(refusals) as [RefusalCode, ...RefusalCode[]];

export const Refusal = z.object({
  error: z.object({
    code: z.enum(refusalCodes),
    message: z.string(),
    details: z.optional(z.record(z.string(), z.unknown())),
  }),
});
export type Refusal = z.infer<typeof Refusal>;

/** Thrown wherever the answer is "no"; each boundary turns it into a `Refusal`. */
export class RefusalError extends Error {
  readonly code: RefusalCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: RefusalCode, message?: string, details?: Record<string, unknown>) {
    super(message ?? refusals[code].sentence);
    this.name = "RefusalError";
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return refusals[this.code].status;
  }

  toWire(): Refusal {
    const { code, message, details } = this;
    return { error: details === undefined ? { code, message } : { code, message, details } };
  }
}

interface Issue {
  path: readonly PropertyKey[];
  message: string;
  code: string;
  keys?: readonly string[];
}

/**
 * Says what is wrong, so that a person can mend it: in the schema's own sentence where it has one,
 * else by the name of the field.
 */
export function invalid(issues: readonly Issue[]): RefusalError {
  const said = new Set<string>();
  const problems: string[] = [];
  for (const issue of issues.slice(0, 5)) {
    if (issue.message.endsWith(".")) {
      said.add(issue.message);
    } else {
      problems.push(problemOf(issue));
    }
  }
  if (problems.length > 0) {
    said.add(`Not valid: ${problems.join("; ")}.`);
  }
  return new RefusalError("invalid", [...said].join(" "));
}

function problemOf({ path, message, code, keys }: Issue): string {
  const where = path.map(String).join(".");
  const what =
    code === "unrecognized_keys"
      ? `unknown key ${keys?.map((key) => `"${key}"`).join(", ")}`
      : message;
  return where === "" ? what : `${where}: ${what}`;
}
