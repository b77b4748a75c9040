import { CommandError } from "../bson/command-error.ts";
import { decode, docOf, encode } from "../bson/document.ts";
import type { Doc } from "../bson/value.ts";
import type { Engine } from "../engine.ts";
import type { Login } from "../wire/login.ts";
import type { Message } from "../wire/op-msg.ts";
import { Arguments } from "./arguments.ts";
import { CommandContext } from "./command.ts";
import { commands, refusedCommands } from "./commands.ts";
import { checkGenericFields, genericFields } from "./generic-fields.ts";
import { errorFields } from "./write/run-statements.ts";

export interface Caller {
  connectionId: number;
  signal: AbortSignal;
  login: Login;
}

/** Runs the command of a message. Whatever happens, the answer is a reply. */
export async function dispatch(
  engine: Engine,
  message: Message,
  caller: Caller,
): Promise<Uint8Array> {
  try {
    if (engine.stopping.aborted) {
      throw new CommandError("InterruptedAtShutdown", "the server is shutting down");
    }
    const waiting = engine.store.ready();
    if (waiting !== undefined) {
      await waiting;
    }
    const reply = await run(engine, message, caller);
    if (!(reply instanceof Map)) {
      return reply;
    }
    reply.set("ok", 1);
    return encode(reply);
  } catch (error) {
    return encode(failure(engine, engine.store.failureOf(error)));
  }
}

function run(
  engine: Engine,
  { body, sequences }: Message,
  { connectionId, signal, login }: Caller,
): ReturnType<NonNullable<ReturnType<typeof commands.get>>["run"]> {
  const doc = decode(body);
  const [name = ""] = doc.keys();
  const loggedIn = login.answer(name, doc);
  if (loggedIn !== undefined) {
    return loggedIn;
  }
  const command = commands.get(name);
  if (command === undefined) {
    throw refusedCommands.has(name)
      ? new CommandError("CommandNotSupported", `the command ${name} is not supported`)
      : new CommandError("CommandNotFound", `no such command: '${name}'`);
  }
  const args = new Arguments(name, doc);
  const { fields } = command;
  if (fields !== "any") {
    args.allowOnly([name], fields, genericFields);
  }
  const db = doc.get("$db");
  if (typeof db !== "string") {
    throw new CommandError(40571, "OP_MSG requests require a $db argument");
  }
  checkGenericFields(doc);
  const beside = new Map(sequences.map(({ field, documents }) => [field, documents]));
  for (const field of beside.keys()) {
    if (!fields.includes(field) || doc.has(field)) {
      throw new CommandError(40415, `BSON field '${name}.${field}' is an unknown field.`);
    }
  }
  return command.run(
    new CommandContext({ engine, db, args, sequences: beside, connectionId, signal }),
  );
}

function failure(engine: Engine, error: unknown): Doc {
  const known =
    error instanceof CommandError
      ? error
      : new CommandError("InternalError", error instanceof Error ? error.message : String(error));
  if (known !== error) {
    engine.report(error);
  }
  return new Map([...docOf({ ok: 0 }), ...errorFields(known)]).set("ok", 0);
}
