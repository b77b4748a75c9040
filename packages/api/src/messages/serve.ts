// oxlint-disable typescript/no-unsafe-type-assertion -- a row and its handler are looked up by the same name
import * as z from "zod/mini";
import { invalid, RefusalError } from "../refusal.ts";
import type { Command, Commands, Notice, Notices } from "./command.ts";

/** The one thing that is needed of a socket here; sockets of both ends have it. */
export interface ListeningSocket {
  // oxlint-disable-next-line typescript/no-explicit-any -- socket.io's own listener type
  onAny(listener: (...args: any[]) => void): unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- socket.io's own listener type
  offAny(listener: (...args: any[]) => void): unknown;
}

export type CommandHandlers<Table extends Commands> = {
  [Name in keyof Table]: Table[Name] extends Command<infer Args, infer Answer, infer _Ack>
    ? (...args: Args) => Answer | Promise<Answer>
    : never;
};

export type NoticeHandlers<Table extends Notices> = {
  [Name in keyof Table]?: Table[Name] extends Notice<infer Args> ? (...args: Args) => void : never;
};

/** Told of what no person could have caused: a handler that threw, a message that can't be read. */
export type OnSocketError = (event: string, error: unknown) => void;

/** The same of a handler that threw. It may give the refusal that is the answer. */
export type OnHandlerError = (event: string, error: unknown) => unknown;

type Ack = (...args: unknown[]) => void;

/** An acknowledgement is the last argument where it is a function. */
function split(args: unknown[]): { values: unknown[]; ack: Ack } {
  const last = args.at(-1);
  if (typeof last !== "function") {
    return { values: args, ack: () => {} };
  }
  return { values: args.slice(0, -1), ack: (...answer) => void last(...answer) };
}

function asRefusal(event: string, error: unknown, onError: OnHandlerError): RefusalError {
  if (error instanceof RefusalError) {
    return error;
  }
  const known = onError(event, error);
  return known instanceof RefusalError ? known : new RefusalError("internal");
}

/**
 * Answers the commands of one socket. Every command is acknowledged, always: with its answer,
 * or with a refusal (bad input: `invalid`; a thrown RefusalError: its code; anything else is
 * reported, and becomes what `onError` gives or `internal`). Returns the function that stops it.
 */
export function serve<Table extends Commands>(
  socket: ListeningSocket,
  table: Table,
  handlers: CommandHandlers<Table>,
  onError: OnHandlerError,
): () => void {
  const listener = (event: string, ...args: unknown[]): void => {
    const { values, ack } = split(args);
    const row = Object.hasOwn(table, event) ? table[event] : undefined;
    if (row === undefined) {
      const unknown = new RefusalError("invalid", `There is no event "${event}".`);
      ack(unknown.toWire());
      return;
    }
    void answer(row, handlers[event], values)
      .catch((error: unknown) => row.toRefusal(asRefusal(event, error, onError)))
      .then((answered) => ack(...answered));
  };
  socket.onAny(listener);
  return () => socket.offAny(listener);
}

async function answer(
  row: Commands[string],
  handler: ((...args: never[]) => unknown) | undefined,
  values: unknown[],
): Promise<unknown[]> {
  const args = z.safeParse(row.args, values);
  if (!args.success) {
    throw invalid(args.error.issues);
  }
  if (handler === undefined) {
    throw new RefusalError("invalid", "Nobody answers this event.");
  }
  return row.toAck(await handler(...(args.data as never[])));
}

/**
 * Hears the notices of one socket. What can't be read is reported and dropped; notices without
 * a handler, and those of a newer server, are ignored. Returns the function that stops it.
 */
export function subscribe<Table extends Notices>(
  socket: ListeningSocket,
  table: Table,
  handlers: NoticeHandlers<Table>,
  onError: OnSocketError,
): () => void {
  const listener = (event: string, ...args: unknown[]): void => {
    const row = Object.hasOwn(table, event) ? table[event] : undefined;
    const handler = handlers[event] as ((...args: unknown[]) => void) | undefined;
    if (row === undefined || handler === undefined) {
      return;
    }
    const parsed = z.safeParse(row.args, split(args).values);
    if (parsed.success) {
      handler(...parsed.data);
    } else {
      onError(event, parsed.error);
    }
  };
  socket.onAny(listener);
  return () => socket.offAny(listener);
}

export interface AskingSocket {
  timeout(ms: number): {
    // oxlint-disable-next-line typescript/no-explicit-any -- typed sockets narrow this further
    emit(event: any, ...args: any[]): unknown;
  };
}

type ArgsOf<Row> = Row extends Command<infer Args, infer _Answer, infer _Ack> ? Args : never;
type AnswerOf<Row> = Row extends Command<infer _Args, infer Answer, infer _Ack> ? Answer : never;

/**
 * Asks the other side and waits for its answer, at most `timeoutMs` (rule A32). A refusal is
 * thrown as a RefusalError; silence as `unavailable`.
 */
export function ask<Table extends Commands, Name extends keyof Table & string>(
  socket: AskingSocket,
  table: Table,
  name: Name,
  args: ArgsOf<Table[Name]>,
  timeoutMs: number,
): Promise<AnswerOf<Table[Name]>> {
  return new Promise((resolve, reject) => {
    const onAck = (error: unknown, ...ack: unknown[]): void => {
      try {
        if (error) {
          throw new RefusalError("unavailable", `No answer to ${name} in ${timeoutMs} ms.`);
        }
        resolve(table[name]?.fromAck(ack) as AnswerOf<Table[Name]>);
      } catch (refusal) {
        reject(refusal);
      }
    };
    const values: unknown[] = [...args];
    // JSON has no undefined: an argument that was left out at the end must not travel as null.
    while (values.length > 0 && values.at(-1) === undefined) {
      values.pop();
    }
    socket.timeout(timeoutMs).emit(name, ...values, onAck);
  });
}
