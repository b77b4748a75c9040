import { CommandError } from "../../bson/command-error.ts";
import { docOf } from "../../bson/document.ts";
import type { Doc, Value } from "../../bson/value.ts";
import type { CommandContext } from "../command.ts";
import { maxWriteBatch } from "../hello.ts";
import { applyNow, applySlowly, type Change, writeMs } from "./apply-now.ts";

/** The fields of an error in a reply. */
export function errorFields({ message, code, codeName, extra }: CommandError): Doc {
  const doc: Doc = docOf({ errmsg: message, code, codeName });
  for (const [name, value] of Object.entries(extra)) {
    if (isValue(value)) {
      doc.set(name, value);
    }
  }
  return doc;
}

function isValue(value: unknown): value is Value {
  return value instanceof Map || ["string", "number", "boolean"].includes(typeof value);
}

/** Errors that end a command, whatever its statement was. */
const interruptions = new Set([50, 11600, 11601]);

/**
 * Runs the statements of a write command, as many in one write as take a moment: long commands let
 * others through. A failed statement is noted, and ends an ordered command. `run` is called inside
 * a write; what it gives back is still to be done.
 */
export async function runStatements<T>(
  context: CommandContext,
  statements: readonly T[],
  run: (statement: T, index: number) => Change | undefined,
): Promise<Doc[]> {
  const ordered = context.args.boolean("ordered", true);
  const errors: Doc[] = [];
  let next = 0;
  const note = (error: unknown): void => {
    if (!(error instanceof CommandError) || interruptions.has(error.code)) {
      throw error;
    }
    const fields = errorFields(error);
    fields.delete("codeName");
    errors.push(new Map<string, Value>([...docOf({ index: next - 1 }), ...fields]));
    if (ordered) {
      next = statements.length;
    }
  };
  while (next < statements.length) {
    const slow = await context.engine.write(() => {
      const until = performance.now() + writeMs;
      while (next < statements.length && performance.now() < until) {
        const statement = statements[next];
        next += 1;
        try {
          const change = statement === undefined ? undefined : run(statement, next - 1);
          if (change !== undefined && !applyNow(context, change)) {
            return change;
          }
        } catch (error) {
          note(error);
        }
      }
      return undefined;
    });
    try {
      if (slow !== undefined) {
        await applySlowly(context, slow);
      }
    } catch (error) {
      note(error);
    }
    const pause = next < statements.length ? context.slice().pause() : undefined;
    if (pause !== undefined) {
      await pause;
    }
  }
  return errors;
}

export function checkBatch(size: number): void {
  if (size >= 1 && size <= maxWriteBatch) {
    return;
  }
  throw new CommandError(
    "InvalidLength",
    `Write batch sizes must be between 1 and ${maxWriteBatch}. Got ${size} operations.`,
  );
}
