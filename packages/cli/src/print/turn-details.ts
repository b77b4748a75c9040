import { applyEvents, type ChatTurn, emptyTranscript, isSettled } from "@gadget/api";
import type { CommandContext } from "../command-context.ts";
import { pageOf } from "../find/page-of.ts";
import { waitWords } from "../follow/explain-wait.ts";
import { howToAnswer } from "../follow/how-to-answer.ts";
import { openParts } from "../follow/open-parts.ts";
import { readEvents } from "../follow/read-events.ts";
import { ago } from "./ago.ts";
import { cut, firstLine } from "./cut.ts";
import { turnMark } from "./mark.ts";
import { plainText } from "./plain-text.ts";
import { files, turnEnd, usage } from "./turn-end.ts";

/** A turn's state in a few lines. */
export async function turnDetails(context: CommandContext, turn: ChatTurn): Promise<string[]> {
  const { style, client } = context;
  const { id, status, waitingFor, prompt, createdAt } = turn;
  const head = isSettled(status)
    ? turnEnd(turn, style)
    : [
        turnMark(status, style, status) +
          (waitingFor === undefined ? "" : `, ${waitWords[waitingFor]}`),
      ];
  const facts: [string, string][] = [
    ["turn", id],
    ["session", turn.sessionId],
    ["prompt", cut(firstLine(plainText(prompt)), 100)],
    ["started", ago(createdAt, Date.now())],
    ["tokens", isSettled(status) && turn.stopped === undefined ? "" : usage(turn.usage)],
    ["files", isSettled(status) ? "" : files(turn)],
    ["page", pageOf(client, turn)],
  ];
  const shown = facts.filter(([, value]) => value !== "");
  const lines = [...head, ...shown.map(([name, value]) => `  ${name.padEnd(8)} ${value}`)];
  for (const { path, change, added, removed } of turn.filesChanged) {
    lines.push(`  ± ${change} ${plainText(path)} (+${added} -${removed})`);
  }
  if (waitingFor === "question" || waitingFor === "approval") {
    lines.push(...(await openQuestions(context, turn)));
  }
  return lines;
}

async function openQuestions(context: CommandContext, turn: ChatTurn): Promise<string[]> {
  const events = await readEvents(context.client, turn.id, 0, context.signal);
  const { transcript } = applyEvents(emptyTranscript(turn.id), events);
  return openParts(transcript).flatMap((part) => howToAnswer(turn, part));
}
