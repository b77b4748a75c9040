import type { Command } from "commander";
import { turnAndText } from "../ask/turn-and-text.ts";
import { type CommandHost, examples } from "../command-host.ts";
import { findTurn, latestRunning } from "../find/find-turn.ts";
import { shownId } from "../print/turn-line.ts";

interface Options {
  queue?: true;
}

export function addSteer(program: Command, host: CommandHost): void {
  program
    .command("steer")
    .summary("send a message to a running turn")
    .description(
      "Sends a message to a running turn; the agent reads it before its next step. Without an id: the latest running turn.",
    )
    .usage("[options] [turn] <text>")
    .argument("<turn>", "the turn's id or its beginning; may be left out")
    .argument("[text]", "the message")
    .option("--queue", "keep it until the turn has finished, then start the next turn with it")
    .addHelpText(
      "after",
      examples('gadget steer "Leave the tests alone"', 'gadget steer k3v9 "Stop at three"'),
    )
    .action(
      host.action<Options>(async (context, args, { queue }) => {
        const { client, signal, json, print, printJson } = context;
        const { id, text } = turnAndText(args);
        const turn = await (id === undefined ? latestRunning(context) : findTurn(context, id));
        const mode = queue === true ? "queue" : "steer";
        const answer = await client.request("sendMessage", {
          params: { id: turn.id },
          body: { text, mode },
          signal,
        });
        if (json) {
          return printJson(answer);
        }
        const done =
          mode === "queue" ? "The message waits for the end of" : "The message was sent to";
        print(`${done} the turn ${turn.id.slice(0, shownId)}.`);
      }),
    );
}
