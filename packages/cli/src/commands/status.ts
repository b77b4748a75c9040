import type { Command } from "commander";
import { type CommandHost, examples } from "../command-host.ts";
import { findTurn, latestTurn } from "../find/find-turn.ts";
import { turnDetails } from "../print/turn-details.ts";

export function addStatus(program: Command, host: CommandHost): void {
  program
    .command("status [turn]")
    .summary("show a turn's state; without an id, the latest turn's")
    .description("Shows a turn's state. Without an id: the latest turn's.")
    .addHelpText("after", examples("gadget status", "gadget status k3v9"))
    .action(
      host.action(async (context, [id]) => {
        const turn = await (id === undefined ? latestTurn(context) : findTurn(context, id));
        if (context.json) {
          return context.printJson({ turn });
        }
        for (const line of await turnDetails(context, turn)) {
          context.print(line);
        }
      }),
    );
}
