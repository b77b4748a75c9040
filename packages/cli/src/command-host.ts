import type { Command } from "commander";
import type { Terminal } from "./ask/terminal.ts";
import { type CommandContext, type GlobalOptions, openContext } from "./command-context.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";

export type Work<Options> = (
  context: CommandContext,
  args: string[],
  options: Options & GlobalOptions,
) => Promise<ExitCode | void>;

/** What the commands are hung on: it gives them their context and keeps their exit code. */
export class CommandHost {
  readonly terminal: Terminal;
  exitCode: ExitCode = exitCodes.ok;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** The action of a command that talks to the server. */
  action<Options>(work: Work<Options>): (...given: unknown[]) => Promise<void> {
    const { terminal } = this;
    const run = async (command: Command): Promise<void> => {
      const options = command.optsWithGlobals<Options & GlobalOptions>();
      const context = await openContext(terminal, options);
      this.exitCode = (await work(context, command.args, options)) ?? exitCodes.ok;
    };
    // commander hands over the arguments, the options and then the command, which is bound as `this`.
    return async function action(this: Command) {
      await run(this);
    };
  }
}

/** The examples under a command's help. */
export function examples(...lines: string[]): string {
  const title = lines.length === 1 ? "Example:" : "Examples:";
  return ["", title, ...lines.map((line) => `  $ ${line}`)].join("\n");
}
