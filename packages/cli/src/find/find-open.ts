import { applyEvents, type ChatTurn, emptyTranscript, type PartOf } from "@gadget/api";
import type { CommandContext } from "../command-context.ts";
import { exitCodes } from "../exit-code.ts";
import { openParts } from "../follow/open-parts.ts";
import { readEvents } from "../follow/read-events.ts";
import { Problem } from "../problem.ts";
import { findTurn, latestWaiting } from "./find-turn.ts";

interface Found<Kind extends "question" | "approval"> {
  turn: ChatTurn;
  part: PartOf<Kind>;
}

/** The oldest open question or approval of a turn; without an id, of the latest that waits. */
export async function findOpen<Kind extends "question" | "approval">(
  context: CommandContext,
  kind: Kind,
  id: string | undefined,
): Promise<Found<Kind>> {
  const { client, signal } = context;
  const turn = await (id === undefined ? latestWaiting(context, kind) : findTurn(context, id));
  const events = await readEvents(client, turn.id, 0, signal);
  const { transcript } = applyEvents(emptyTranscript(turn.id), events);
  const isKind = (part: { kind: string }): part is PartOf<Kind> => part.kind === kind;
  const part = openParts(transcript).find(isKind);
  if (part !== undefined) {
    return { turn, part };
  }
  throw new Problem(
    `The turn has no open ${kind}: nothing waits for an answer.`,
    exitCodes.conflict,
    "closed",
  );
}
