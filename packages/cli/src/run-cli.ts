import { CommanderError } from "commander";
import type { Terminal } from "./ask/terminal.ts";
import { CommandHost } from "./command-host.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import { styleFor } from "./print/style.ts";
import { problemOf } from "./problem.ts";
import { createProgram } from "./program.ts";

/** One call of `gadget`. Never throws: what went wrong was said on stderr. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { stderr, env, interrupts } = terminal;
  const host = new CommandHost(terminal);
  const program = createProgram(host);
  try {
    await program.parseAsync([...args], { from: "user" });
    return host.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    }
    const problem = problemOf(error, interrupts.signal);
    const { message, code, exitCode } = problem;
    if (program.opts<{ json?: true }>().json === true) {
      stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
    } else if (exitCode === exitCodes.cancelled) {
      stderr.write("\n");
    } else {
      stderr.write(`${styleFor(stderr, env)("red", "✗")} ${message}\n`);
    }
    return exitCode;
  }
}
