import {
  type AbortAnswer,
  abortMessages,
  type DroneId,
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
  mine: Promise<QueryFilter<StoredTurn>>,
): Promise<AbortResult> {
  // What this node holds is known to be the asker's own: its drone is told before any read.
  const held = context.live.get(turnId);
  const early = held?.owner === by.id ? begin(context, turnId, held.droneId, by) : undefined;
  const filter = { ...(await mine), _id: turnId };
  await context.live.arrival(turnId);
  const turn = await context.models.turns.findOne(filter).lean<StoredTurn>();
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
  return abortRunning(context, turn, by, early);
}

interface Begun {
  already: boolean;
  pushed: Promise<AbortAnswer | undefined>;
  intent: AbortIntent | undefined;
}

/**
 * The push first: it is synchronous up to the socket. The node that holds the turn learns who
 * asked on the same way, so that it knows before the drone can answer.
 */
function begin(
  context: TurnContext,
  turnId: TurnId,
  droneId: DroneId | null,
  by: Person,
  known = false,
): Begun {
  const already = known || context.live.abortOf(turnId) !== undefined;
  if (!already) context.nodes.abortAsked(turnId, by, context.now());
  const pushed =
    droneId === null
      ? Promise.resolve(undefined)
      : context.line.signalAbort(droneId, turnId, answerMs).catch(() => undefined);
  const intent = already ? undefined : storeIntent(context, turnId, by);
  if (intent !== undefined) context.live.askAbort(turnId, intent);
  return { already, pushed, intent };
}

async function abortRunning(
  context: TurnContext,
  turn: StoredTurn,
  by: Person,
  early: Begun | undefined,
): Promise<AbortResult> {
  const droneId = turn.lease?.droneId ?? turn.droneId;
  const { already, pushed, intent } =
    early ?? begin(context, turn._id, droneId, by, turn.status === "aborting");
  if (intent !== undefined) context.publish.turnChanged(shownTurn(context.live, turn));
  const stored = (intent?.stored ?? Promise.resolve()).then(() => undefined);
  const answer = await firstOf(context, pushed, stored);
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
  context: TurnContext,
  pushed: Promise<AbortAnswer | undefined>,
  stored: Promise<undefined>,
): Promise<AbortAnswer | undefined> {
  const answer = await pushed;
  if (answer !== undefined) return answer;
  await Promise.race([stored, context.wait(100)]);
  return undefined;
}

function storeIntent(context: TurnContext, turnId: TurnId, by: Person): AbortIntent {
  const at = context.now();
  const write = transition(context.models, turnId, "abort", {
    where: { status: "processing" },
    set: () => ({ abortRequestedAt: at, abortedBy: by }),
    unset: ["waitingFor"],
  });
  const failed = (error: unknown): false => {
    context.log.error({ err: error, turnId }, "an abort could not be stored yet");
    return false;
  };
  const stored = write.then(
    (written) => {
      // For lists: nobody waits for it.
      if (written !== undefined) rememberTurn(context, written).catch(failed);
      return written !== undefined;
    },
    (error: unknown) => {
      context.live.forgetAbort(turnId);
      return failed(error);
    },
  );
  return { by, at, stored };
}
