import * as z from "zod/mini";
import type { TurnId } from "../id.ts";
import { Refusal, RefusalError } from "../refusal.ts";

type Schema<Out = unknown> = z.core.$ZodType<Out>;

/** Something that is asked over a socket: it is always acknowledged. */
export interface Command<Args extends unknown[], Answer, Ack extends unknown[]> {
  readonly args: Schema<Args>;
  readonly answer: Schema<Answer>;
  /** How an answer and a refusal travel in the acknowledgement's arguments. */
  toAck(answer: Answer): Ack;
  toRefusal(refusal: RefusalError): Ack;
  /** Gives the answer that an acknowledgement carries; throws what it refuses. */
  fromAck(ack: readonly unknown[]): Answer;
}

/** Something that is told over a socket: nobody answers. */
export interface Notice<Args extends unknown[]> {
  readonly args: Schema<Args>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the table's rows differ in every argument
export type Commands = Record<string, Command<any, any, any>>;
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type Notices = Record<string, Notice<any>>;

/** What a well-kept peer never sends: the connection is fine, the message is not. */
function unreadable(what: string): RefusalError {
  return new RefusalError("internal", `The other side sent ${what} that can't be read.`);
}

export function read<Out>(schema: Schema<Out>, value: unknown, what: string): Out {
  const result = z.safeParse(schema, value);
  if (!result.success) {
    throw unreadable(what);
  }
  return result.data;
}

export function command<Args extends unknown[], Answer>(
  args: Schema<Args>,
  answer: Schema<Answer>,
): Command<Args, Answer, [Answer | Refusal]> {
  return {
    args,
    answer,
    toAck: (value) => [value],
    toRefusal: (refusal) => [refusal.toWire()],
    fromAck([value]) {
      const refusal = z.safeParse(Refusal, value);
      if (refusal.success) {
        const { code, message, details } = refusal.data.error;
        throw new RefusalError(code, message, details);
      }
      return read(answer, value, "an acknowledgement");
    },
  };
}

const AbortAnswer = z.object({ success: z.boolean(), message: z.optional(z.string()) });
export type AbortAnswer = z.infer<typeof AbortAnswer>;

/** `abortWorkOrder(turnId, cb)` with `cb(success, message?)`: its refusals are `cb(false, why)`. */
export function abortCommand(
  turnId: Schema<TurnId>,
): Command<[TurnId], AbortAnswer, [success: boolean, message?: string]> {
  return {
    args: z.tuple([turnId]),
    answer: AbortAnswer,
    toAck: ({ success, message }) => (message === undefined ? [success] : [success, message]),
    toRefusal: (refusal) => [false, refusal.message],
    fromAck: ([success, message]) => read(AbortAnswer, { success, message }, "an acknowledgement"),
  };
}

export function notice<Args extends unknown[]>(args: Schema<Args>): Notice<Args> {
  return { args };
}
