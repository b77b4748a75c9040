import { docOf } from "../query/document.ts";
import { CommandError } from "../query/error.ts";
import type { Doc, Value } from "../query/value.ts";
import { MAX_WRITE_BATCH } from "./hello.ts";

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

/** Runs the statements of a write command; a failed one is noted, and ends an ordered command. */
export function runStatements<T>(
  statements: readonly T[],
  ordered: boolean,
  run: (statement: T, index: number) => void,
): Doc[] {
  const errors: Doc[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      if (!(error instanceof CommandError)) {
        throw error;
      }
      const fields = errorFields(error);
      fields.delete("codeName");
      errors.push(new Map<string, Value>([...docOf({ index }), ...fields]));
      if (ordered) {
        break;
      }
    }
  }
  return errors;
}

export function checkBatch(size: number): void {
  if (size >= 1 && size <= MAX_WRITE_BATCH) {
    return;
  }
  throw new CommandError(
    "InvalidLength",
    `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH}. Got ${size} operations.`,
  );
}
