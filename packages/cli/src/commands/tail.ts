import type { Command } from "commander";
import { type CommandHost, examples } from "../command-host.ts";
import { exitCodeOf } from "../exit-code.ts";
import { findTurn } from "../find/find-turn.ts";
import { watchTurn } from "../follow/watch-turn.ts";
import { turnEnd } from "../print/turn-end.ts";

export function addTail(program: Command, host: CommandHost): void {
  program
    .command("tail <turn>")
    .summary("follow a turn until it ends")
    .description(
      "Prints a turn from its beginning and follows it until it ends, also over a restart of the server. Ctrl-C leaves; the turn goes on. The exit code is the turn's.",
    )
    .addHelpText("after", examples("gadget tail k3v9", "gadget tail k3v9 --json"))
    .action(
      host.action(async (context, [id = ""]) => {
        const { id: turnId } = await findTurn(context, id);
        const { turn } = await watchTurn({ context, turnId, questions: "pass" });
        if (context.json) {
          context.printJson({ turn });
        } else {
          for (const line of ["", ...turnEnd(turn, context.style)]) {
            context.print(line);
          }
        }
        return exitCodeOf(turn.status);
      }),
    );
}
