import type { TurnStatus } from "@gadget/api";

/** What a script can branch on; docs/cli.md lists them. */
export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  /** A question or an approval is open, and there is no terminal to ask on. */
  waiting: 5,
  interrupted: 6,
  cancelled: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** How `run` and `tail` end for a turn that has settled. */
export function exitCodeOf(status: TurnStatus): ExitCode {
  switch (status) {
    case "error":
      return exitCodes.error;
    case "aborted":
      return exitCodes.cancelled;
    case "interrupted":
      return exitCodes.interrupted;
    default:
      return exitCodes.ok;
  }
}
