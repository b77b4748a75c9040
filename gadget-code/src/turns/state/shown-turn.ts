import type { StoredTurn } from "../../models/chat-turn.ts";
import type { AbortIntent, LiveTurns } from "./live-turn.ts";

/** A turn as it is to be seen: an abort that was asked for shows before its write has arrived. */
export function shownTurn(live: LiveTurns, turn: StoredTurn): StoredTurn {
  const intent = live.abortOf(turn._id);
  return intent === undefined ? turn : turnAsAsked(turn, intent);
}

/** What was asked for, and when, as soon as it was. */
export function turnAsAsked(turn: StoredTurn, { by, at }: AbortIntent): StoredTurn {
  if (!["queued", "processing"].includes(turn.status)) {
    return turn;
  }
  const asked = { abortRequestedAt: at, ...(by !== undefined && { abortedBy: by }) };
  return { ...turn, ...asked, status: "aborting" };
}
