import {
  type AbortAnswer,
  abortMessages,
  isSettled,
  type Person,
  RefusalError,
  type TurnId,
} from "@gadget/api";
import type { QueryFilter } from "mongoose";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { AbortIntent } from "./live-turn.ts";
import { rememberTurn } from "./session-turn.ts";
import { settle } from "./settle.ts";
import { shownTurn } from "./shown-turn.ts";
import { transition } from "./transition.ts";
import type { TurnContext } from "./turn-context.ts";

/** A cancel is answered within a second, whatever the drone or the database do (A14). */
const answerMs = 900;

export interface AbortResult extends AbortAnswer {
  turn: StoredTurn;
}

/**
 * Asks for the abort of one named turn (A3). The drone is told and the intent is stored at the
 * same moment; neither waits for the other, and either alone brings the abort about (A5).
 */
export async function abort(
  context: TurnContext,
  turnId: TurnId,
  by: Person,
  mine: QueryFilter<StoredTurn>,
): Promise<AbortResult> {
  const turn = await context.models.turns.findOne({ ...mine, _id: turnId }).lean<StoredTurn>();
  if (turn === null) throw new RefusalError("not_found", "There is no such turn.");
  if (isSettled(turn.status)) {
    return { turn, success: false, message: abortMessages.notRunning };
  }
  if (turn.status === "queued") {
    const fields = { abortRequestedAt: context.now() };
    await context.models.turns.updateOne({ _id: turnId, unsettled: true }, { $set: fields });
    const settled = await settle(context, turnId, {
      signal: "abort",
      where: { status: "queued" },
      abortedBy: by,
    });
    if (settled !== undefined) {
      return { turn: settled, success: true, message: abortMessages.cancelledEarly };
    }
    return abort(context, turnId, by, mine);
  }
  return abortRunning(context, turn, by);
}

async function abortRunning(
  context: TurnContext,
  turn: StoredTurn,
  by: Person,
): Promise<AbortResult> {
  const held = context.live.get(turn._id);
  const already = turn.status === "aborting" || held?.abort !== undefined;
  // The push first: it is synchronous up to the socket.
  const droneId = turn.lease?.droneId ?? turn.droneId;
  const pushed =
    droneId === null
      ? Promise.resolve(undefined)
      : context.line.signalAbort(droneId, turn._id, answerMs).catch(() => undefined);
  const intent = already ? undefined : storeIntent(context, turn, by);
  if (held !== undefined && intent !== undefined) {
    held.abort ??= intent;
    context.publish.turnChanged(shownTurn(context.live, turn));
  }
  const stored = (intent?.stored ?? Promise.resolve()).then(() => undefined);
  const answer = await firstOf(pushed, stored);
  const now = { ...turn, status: "aborting" as const };
  if (already) return { turn: now, success: true, message: abortMessages.already };
  const shown = {
    ...now,
    abortRequestedAt: turn.abortRequestedAt ?? context.now(),
    abortedBy: turn.abortedBy ?? by,
  };
  if (answer === undefined)
    return { turn: shown, success: true, message: abortMessages.unreachable };
  return { turn: shown, success: true, message: abortMessages.signaled };
}

/** The drone's word where it comes in time; the stored intent where it does not. */
async function firstOf(
  pushed: Promise<AbortAnswer | undefined>,
  stored: Promise<undefined>,
): Promise<AbortAnswer | undefined> {
  const answer = await pushed;
  if (answer !== undefined) return answer;
  await Promise.race([stored, new Promise((resolve) => setTimeout(resolve, 100))]);
  return undefined;
}

function storeIntent(context: TurnContext, turn: StoredTurn, by: Person): AbortIntent {
  const at = context.now();
  const write = transition(context.models, turn._id, "abort", {
    where: { status: "processing" },
    set: () => ({ abortRequestedAt: at, abortedBy: by }),
    unset: ["waitingFor"],
  }).then(async (stored) => {
    if (stored !== undefined) await rememberTurn(context, stored);
  });
  const stored = write.catch((error: unknown) => {
    context.log.error({ err: error, turnId: turn._id }, "an abort could not be stored yet");
  });
  return { by, at, stored };
}
