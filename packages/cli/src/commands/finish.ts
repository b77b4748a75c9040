import type { Command } from "commander";
import { type CommandHost, examples } from "../command-host.ts";
import { findTurn, latestRunning } from "../find/find-turn.ts";
import { shownId } from "../print/turn-line.ts";

export function addFinish(program: Command, host: CommandHost): void {
  program
    .command("finish [turn]")
    .summary("let a turn finish up: no new tools, one last answer")
    .description(
      "Asks a turn to finish up: no new tools, one last answer. Without an id: the latest running turn.",
    )
    .addHelpText("after", examples("gadget finish", "gadget finish k3v9"))
    .action(
      host.action(async (context, [id]) => {
        const { client, signal, json, print, printJson } = context;
        const found = await (id === undefined ? latestRunning(context) : findTurn(context, id));
        const answer = await client.request("finishTurn", { params: { id: found.id }, signal });
        if (json) {
          printJson(answer);
        } else {
          print(`The turn ${found.id.slice(0, shownId)} is finishing up.`);
        }
      }),
    );
}
