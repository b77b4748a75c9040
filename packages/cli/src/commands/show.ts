import { applyEvents, emptyTranscript, isSettled } from "@gadget/api";
import type { Command } from "commander";
import { type CommandHost, examples } from "../command-host.ts";
import { findTurn } from "../find/find-turn.ts";
import { readEvents } from "../follow/read-events.ts";
import { LineWriter } from "../print/line-writer.ts";
import { turnMark } from "../print/mark.ts";
import { plainText } from "../print/plain-text.ts";
import { turnEnd } from "../print/turn-end.ts";
import { TurnPrinter } from "../print/turn-printer.ts";

interface Options {
  full?: true;
}

export function addShow(program: Command, host: CommandHost): void {
  program
    .command("show <turn>")
    .summary("print a turn: prompt, answer, tool calls")
    .description("Prints a turn as it is stored: the prompt, the answer, the tool calls, its end.")
    .option("--full", "whole results of tools instead of their first lines")
    .addHelpText("after", examples("gadget show k3v9", "gadget show k3v9 --json"))
    .action(
      host.action<Options>(async (context, [id = ""], { full = false }) => {
        const { client, signal, style, terminal } = context;
        const turn = await findTurn(context, id);
        const events = await readEvents(client, turn.id, 0, signal);
        if (context.json) {
          const { transcript } = applyEvents(emptyTranscript(turn.id), events);
          return context.printJson({ turn, transcript });
        }
        const lines = LineWriter.to(terminal.stdout);
        lines.line(style("bold", `> ${plainText(turn.prompt)}`));
        const printer = new TurnPrinter({ lines, style, full });
        for (const event of events) {
          printer.print(event);
        }
        lines.gap();
        const end = isSettled(turn.status)
          ? turnEnd(turn, style)
          : [turnMark(turn.status, style, turn.status)];
        for (const line of end) {
          lines.line(line);
        }
      }),
    );
}
