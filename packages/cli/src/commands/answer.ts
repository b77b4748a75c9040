import type { Command } from "commander";
import { turnAndText } from "../ask/turn-and-text.ts";
import { type CommandHost, examples } from "../command-host.ts";
import { findOpen } from "../find/find-open.ts";
import { answerOf } from "../follow/open-parts.ts";
import { plainText } from "../print/plain-text.ts";

export function addAnswer(program: Command, host: CommandHost): void {
  program
    .command("answer")
    .summary("answer a question of a turn")
    .description(
      "Answers the open question of a turn; a number chooses the option of that place. Without an id: the latest turn that waits for an answer.",
    )
    .usage("[options] [turn] <text>")
    .argument("<turn>", "the turn's id or its beginning; may be left out")
    .argument("[text]", "the answer, or an option's number")
    .addHelpText("after", examples('gadget answer "the second one"', "gadget answer k3v9 2"))
    .action(
      host.action(async (context, args) => {
        const { client, signal, json, print, printJson } = context;
        const { id, text } = turnAndText(args);
        const { turn, part } = await findOpen(context, "question", id);
        const answer = answerOf(part, text);
        const params = { id: turn.id, questionId: part.id };
        const done = await client.request("answerQuestion", { params, body: { answer }, signal });
        if (json) {
          printJson(done);
        } else {
          print(`Answered "${plainText(part.question)}": ${plainText(answer)}`);
        }
      }),
    );
}
