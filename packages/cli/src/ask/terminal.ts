import type { Readable, Writable } from "node:stream";
import type { Interrupts } from "./interrupts.ts";

export type TerminalInput = Readable & { isTTY?: boolean | undefined };
export type TerminalOutput = Writable & {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
};

/** All that a command sees of the machine it is called on. */
export interface Terminal {
  stdin: TerminalInput;
  stdout: TerminalOutput;
  stderr: TerminalOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** The caller's folder, also when npm has changed to the repository's. */
  folder: string;
  interrupts: Interrupts;
}

/** Whether a person can be asked: questions are shown on stderr and answered on stdin. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
