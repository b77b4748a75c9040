import type { StoredTurn } from "../../models/chat-turn.ts";
import type { LiveTurns } from "./live-turn.ts";

/** A turn as it is to be seen: an abort that was asked for shows before its write has arrived. */
export function shownTurn(live: LiveTurns, turn: StoredTurn): StoredTurn {
  const abort = live.abortOf(turn._id);
  if (abort === undefined || !["queued", "processing"].includes(turn.status)) {
    return turn;
  }
  const { by, at } = abort;
  const asked = { abortRequestedAt: at, ...(by !== undefined && { abortedBy: by }) };
  return { ...turn, ...asked, status: "aborting" };
}
