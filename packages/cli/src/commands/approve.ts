import type { ApprovalDecision } from "@gadget/api";
import { type Command, Option } from "commander";
import { type CommandHost, examples } from "../command-host.ts";
import { findOpen } from "../find/find-open.ts";
import { plainText } from "../print/plain-text.ts";

interface Options {
  forSession?: true;
  deny?: true;
  reason?: string;
}

const done: Record<ApprovalDecision, string> = {
  once: "Allowed once",
  session: "Allowed for the session",
  deny: "Denied",
};

export function addApprove(program: Command, host: CommandHost): void {
  program
    .command("approve [turn]")
    .summary("allow or deny a tool call that waits")
    .description(
      "Allows the tool call that a turn asks about, or denies it. Without an id: the latest turn that waits for an approval.",
    )
    .option("--for-session", "also allow the like of it for the rest of the session")
    .addOption(new Option("--deny", "say no").conflicts("forSession"))
    .option("--reason <text>", "what the agent is told when it is denied")
    .addHelpText(
      "after",
      examples("gadget approve", 'gadget approve k3v9 --deny --reason "Use npm ci"'),
    )
    .action(
      host.action<Options>(async (context, [id], { forSession, deny, reason }) => {
        const { client, signal, json, print, printJson } = context;
        const { turn, part } = await findOpen(context, "approval", id);
        const decision: ApprovalDecision = deny ? "deny" : forSession ? "session" : "once";
        const answer = await client.request("answerApproval", {
          params: { id: turn.id, approvalId: part.id },
          body: { decision, ...(reason !== undefined && { reason }) },
          signal,
        });
        if (json) {
          printJson(answer);
        } else {
          print(`${done[decision]}: ${plainText(part.command ?? part.name)}`);
        }
      }),
    );
}
