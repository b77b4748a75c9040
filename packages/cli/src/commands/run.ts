import { ApprovalMode, type ChatTurn, newId, type SessionId, TurnId } from "@gadget/api";
import { type Command, Option } from "commander";
import { readPrompt } from "../ask/read-prompt.ts";
import { canAsk } from "../ask/terminal.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandHost, examples } from "../command-host.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "../exit-code.ts";
import { openSession, type SessionOptions } from "../find/open-session.ts";
import { pageOf } from "../find/page-of.ts";
import { CancelKey } from "../follow/cancel-key.ts";
import { howToAnswer } from "../follow/how-to-answer.ts";
import { persist } from "../follow/persist.ts";
import { type Watched, watchTurn } from "../follow/watch-turn.ts";
import { turnEnd } from "../print/turn-end.ts";

interface Options extends SessionOptions {
  detach?: true;
}

/** A server that restarts is back by then. */
const submitPatienceMs = 15_000;

export function addRun(program: Command, host: CommandHost): void {
  program
    .command("run <prompt...>")
    .summary("start a turn and follow it")
    .description(
      `Sends a prompt and follows the turn until it ends. "-" reads the prompt from stdin. Without --project it runs in the project that contains this folder. Ctrl-C aborts the turn and waits until nothing of it runs; a second one forces the stop, a third one leaves.`,
    )
    .option("--project <project>", "a project's name or id")
    .option("--session <session>", "go on in this session (title or id) instead of a new one")
    .option("--provider <provider>", "a provider's name or id")
    .option("--model <model>", "the model to ask")
    .addOption(
      new Option("--approval <mode>", "what may run unasked").choices(ApprovalMode.options),
    )
    .option("--detach", "print the turn's id and leave it running")
    .addHelpText(
      "after",
      examples(
        'gadget run "Explore this project"',
        "git diff | gadget run - --approval read-only",
        'gadget run "Update the changelog" --project website --detach',
      ),
    )
    .action(
      host.action<Options>(async (context, words, options) => {
        const prompt = await readPrompt(words, context.terminal);
        const session = await openSession(context, options);
        return runTurn(context, session.id, prompt, options.detach === true);
      }),
    );
}

async function runTurn(
  context: CommandContext,
  sessionId: SessionId,
  prompt: string,
  detach: boolean,
): Promise<ExitCode> {
  const { terminal, json, print, printJson, note } = context;
  const turnId = newId(TurnId);
  const cancelKey = new CancelKey(context, turnId);
  try {
    const turn = await submit(context, sessionId, turnId, prompt);
    cancelKey.arm();
    if (detach && !cancelKey.pressed) {
      if (json) {
        printJson({ turn });
      } else {
        print(turn.id);
      }
      return exitCodes.ok;
    }
    note(`Turn ${turn.id} · ${pageOf(context.client, turn)}`);
    const questions = canAsk(terminal) && !json ? "ask" : "leave";
    return report(context, await watchTurn({ context, turnId, questions, cancelKey }));
  } finally {
    cancelKey.release();
  }
}

/** The id is made here, so that a second try is the same turn and not a second one. */
async function submit(
  { client, signal }: CommandContext,
  sessionId: SessionId,
  turnId: TurnId,
  prompt: string,
): Promise<ChatTurn> {
  const params = { id: sessionId };
  const body = { prompt, turnId };
  const { turn } = await persist(() => client.request("submitTurn", { params, body, signal }), {
    patienceMs: submitPatienceMs,
    signal,
  });
  return turn;
}

function report(context: CommandContext, { turn, waiting }: Watched): ExitCode {
  const { client, style, json, print, printJson, note } = context;
  if (json) {
    printJson({ turn });
  }
  if (waiting !== undefined) {
    note(`It waits for a person: ${pageOf(client, turn)}`);
    for (const line of howToAnswer(turn, waiting)) {
      note(line);
    }
    return exitCodes.waiting;
  }
  if (!json) {
    for (const line of ["", ...turnEnd(turn, style)]) {
      print(line);
    }
  }
  return exitCodeOf(turn.status);
}
