import { setTimeout as delay } from "node:timers/promises";
import { type ChatTurn, isSettled } from "@gadget/api";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { type CommandHost, examples } from "../command-host.ts";
import { exitCodes } from "../exit-code.ts";
import { findTurn, latestRunning } from "../find/find-turn.ts";
import { turnEnd } from "../print/turn-end.ts";
import { shownId } from "../print/turn-line.ts";

interface Options {
  force?: true;
}

/** After this long the page offers Force stop too. */
const settleMs = 5_000;
const pollMs = 50;

export function addCancel(program: Command, host: CommandHost): void {
  program
    .command("cancel [turn]")
    .summary("abort a turn; without an id, the latest running one")
    .description(
      "Aborts a turn and waits until nothing of it runs any more, for 5 s at most. Without an id: the latest running turn.",
    )
    .option("--force", "settle it without its drone; its commands may run a little longer")
    .addHelpText("after", examples("gadget cancel", "gadget cancel k3v9 --force"))
    .action(
      host.action<Options>(async (context, [id], { force }) => {
        const { client, signal, style, json, print, printJson, note } = context;
        const found = await (id === undefined ? latestRunning(context) : findTurn(context, id));
        const { turn: asked, message } = await client.request("cancelTurn", {
          params: { id: found.id },
          query: force === true ? { force: "true" } : {},
          signal,
        });
        const turn = await settled(context, asked);
        if (json) {
          printJson({ turn, ...(message !== undefined && { message }) });
        } else if (isSettled(turn.status)) {
          for (const line of turnEnd(turn, style)) {
            print(line);
          }
        } else {
          if (message !== undefined) {
            print(`${message}.`);
          }
          note(
            `It is still aborting. "gadget cancel ${turn.id.slice(0, shownId)} --force" forces it.`,
          );
        }
        // It came to its own end first: what happened is what is stored.
        const tooLate = turn.status === "finished" || turn.status === "error";
        return tooLate ? exitCodes.conflict : exitCodes.ok;
      }),
    );
}

async function settled({ client, signal }: CommandContext, asked: ChatTurn): Promise<ChatTurn> {
  const deadline = performance.now() + settleMs;
  let turn = asked;
  for (;;) {
    ({ turn } = await client.request("getTurn", { params: { id: asked.id }, signal }));
    if (isSettled(turn.status) || performance.now() > deadline) {
      return turn;
    }
    await delay(pollMs, undefined, { signal });
  }
}
