import { type TurnStatus, turnStatuses } from "@gadget/api";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type CommandHost, examples } from "../command-host.ts";
import { turnLine } from "../print/turn-line.ts";

interface Options {
  status?: TurnStatus;
  limit: number;
}

export function addList(program: Command, host: CommandHost): void {
  program
    .command("list")
    .summary("list turns, newest first")
    .description("Lists your turns, newest first.")
    .addOption(new Option("--status <status>", "only turns in this state").choices(turnStatuses))
    .addOption(new Option("--limit <number>", "how many").argParser(parseLimit).default(20))
    .addHelpText("after", examples("gadget list --status processing", "gadget list --json"))
    .action(
      host.action<Options>(async (context, _args, { status, limit }) => {
        const { client, signal, style, json, print, printJson } = context;
        const query = { limit, ...(status !== undefined && { status }) };
        const page = await client.request("listTurns", { query, signal });
        if (json) {
          return printJson(page);
        }
        if (page.items.length === 0) {
          return print("There is no such turn.");
        }
        const now = Date.now();
        for (const turn of page.items) {
          print(turnLine(turn, style, now));
        }
      }),
    );
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 200) {
    return limit;
  }
  throw new InvalidArgumentError("It is a whole number from 1 to 200.");
}
