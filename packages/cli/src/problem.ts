import { RefusalError } from "@gadget/api";
import { type ExitCode, exitCodes } from "./exit-code.ts";

/** A "no" for the person at the keyboard: sentences that say what to do next, and the exit code. */
export class Problem extends Error {
  readonly exitCode: ExitCode;
  /** The server's code, where the "no" was the server's. */
  readonly code: string;

  constructor(message: string, exitCode: ExitCode, code = codeNames[exitCode]) {
    super(message);
    this.name = "Problem";
    this.exitCode = exitCode;
    this.code = code;
  }
}

const codeNames: Record<ExitCode, string> = {
  0: "ok",
  1: "error",
  2: "usage",
  3: "not_found",
  4: "conflict",
  5: "waiting",
  6: "interrupted",
  130: "cancelled",
};

/** The one place where whatever was thrown becomes sentences and an exit code. */
export function problemOf(error: unknown, signal: AbortSignal): Problem {
  if (error instanceof Problem) {
    return error;
  }
  if (signal.aborted) {
    return new Problem("Stopped.", exitCodes.cancelled);
  }
  if (error instanceof RefusalError) {
    return refused(error);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(`Something went wrong: ${message}`, exitCodes.error);
}

function refused(refusal: RefusalError): Problem {
  const { code, message, status } = refusal;
  if (code === "unauthenticated") {
    return new Problem(`${message} Run "gadget login".`, exitCodes.error, code);
  }
  if (status === 404) {
    return new Problem(message, exitCodes.notFound, code);
  }
  if (status === 409) {
    return new Problem(message, exitCodes.conflict, code);
  }
  return new Problem(message, exitCodes.error, code);
}
