import type { StoredTurn } from "../../models/chat-turn.ts";
import type { AbortIntent } from "./abort-intent.ts";
import type { LiveTurns } from "./live-turns.ts";

/**
 * A turn as it is to be seen: an abort that was asked for shows before its write has arrived, and
 * what the log says of the turn before its end writes that.
 */
export function shownTurn(live: LiveTurns, turn: StoredTurn): StoredTurn {
  const held = live.get(turn._id);
  const now = held?.epoch === turn.epoch ? { ...turn, ...held.facts } : turn;
  const intent = live.abortOf(turn._id);
  return intent === undefined ? now : turnAsAsked(now, intent);
}

/** What was asked for, and when, as soon as it was. */
export function turnAsAsked(turn: StoredTurn, { by, at }: AbortIntent): StoredTurn {
  if (!["queued", "processing"].includes(turn.status)) {
    return turn;
  }
  const asked = { abortRequestedAt: at, ...(by !== undefined && { abortedBy: by }) };
  return { ...turn, ...asked, status: "aborting" };
}
