import {
  type AbortAnswer,
  abortMessages,
  type DroneId,
  isSettled,
  type Person,
  RefusalError,
  type TurnId,
  type TurnStatus,
} from "@gadget/api";
import type { QueryFilter } from "mongoose";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { AbortIntent, Arrival } from "./live-turn.ts";
import { rememberTurn } from "./session-turn.ts";
import { move } from "./settle.ts";
import { shownTurn } from "./shown-turn.ts";
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
  const arrival = context.live.arrival(turnId);
  if (arrival !== undefined && !(await arrivesSoon(context, arrival))) {
    if (arrival.owner === by.id) return abortArriving(context, turnId, arrival, by);
  }
  const turn = await context.models.turns.findOne(filter).lean<StoredTurn>();
  if (turn === null) throw new RefusalError("not_found", "There is no such turn.");
  if (isSettled(turn.status)) {
    return { turn, success: false, message: abortMessages.notRunning };
  }
  return turn.status === "queued"
    ? abortQueued(context, turn, by)
    : abortRunning(context, turn, by, early);
}

async function arrivesSoon(context: TurnContext, { stored }: Arrival): Promise<boolean> {
  const settled = stored.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, context.wait(answerMs).then(() => false)]);
}

/** The prompt itself is still being stored: no order goes out for it, and its end follows. */
async function abortArriving(
  context: TurnContext,
  turnId: TurnId,
  { turn, stored }: Arrival,
  by: Person,
): Promise<AbortResult> {
  const coming = await turn;
  if (context.live.abortOf(turnId) === undefined) ask(context, turnId, by, stored);
  const shown = shownTurn(context.live, coming);
  return { turn: shown, success: true, message: abortMessages.storing };
}

/**
 * One compare-and-set where no drone has it. A claim may come first: then it is aborted as a
 * running one, and no order goes out for it meanwhile (A6).
 */
async function abortQueued(
  context: TurnContext,
  turn: StoredTurn,
  by: Person,
): Promise<AbortResult> {
  const { _id: turnId } = turn;
  const earlier = context.live.abortOf(turnId);
  const intent = earlier ?? ask(context, turnId, by);
  await Promise.race([intent.stored, context.wait(answerMs)]);
  const now = await context.models.turns.findById(turnId).lean<StoredTurn>();
  if (now?.status === "aborted") {
    return { turn: now, success: true, message: abortMessages.cancelledEarly };
  }
  if (now === null || now.status === "queued") {
    const shown = shownTurn(context.live, turn);
    return { turn: shown, success: true, message: abortMessages.storing };
  }
  if (isSettled(now.status))
    return { turn: now, success: false, message: abortMessages.notRunning };
  const pushed = push(context, turnId, droneOf(now));
  return abortRunning(context, now, by, { already: earlier !== undefined, pushed, intent });
}

interface Begun {
  already: boolean;
  pushed: Promise<AbortAnswer | undefined>;
  intent: AbortIntent | undefined;
}

/** The push first: it is synchronous up to the socket. */
function begin(
  context: TurnContext,
  turnId: TurnId,
  droneId: DroneId | null,
  by: Person,
  known = false,
): Begun {
  const already = known || context.live.abortOf(turnId) !== undefined;
  // The node that holds the turn learns who asked before its drone can answer.
  if (!already) context.nodes.abortAsked(turnId, by, context.now());
  const pushed = push(context, turnId, droneId);
  return {
    already,
    pushed,
    intent: already ? undefined : storeIntent(context, turnId, by, "processing"),
  };
}

/** Of a turn that no drone has, as soon as the database has it. */
function ask(
  context: TurnContext,
  turnId: TurnId,
  by: Person,
  arrival?: Promise<unknown>,
): AbortIntent {
  context.nodes.abortAsked(turnId, by, context.now());
  return storeIntent(context, turnId, by, "queued", arrival);
}

const droneOf = ({ lease, droneId }: StoredTurn): DroneId | null => lease?.droneId ?? droneId;

function push(
  context: TurnContext,
  turnId: TurnId,
  droneId: DroneId | null,
): Promise<AbortAnswer | undefined> {
  if (droneId === null) return Promise.resolve(undefined);
  return context.line.signalAbort(droneId, turnId, answerMs).catch(() => undefined);
}

async function abortRunning(
  context: TurnContext,
  turn: StoredTurn,
  by: Person,
  early: Begun | undefined,
): Promise<AbortResult> {
  const { already, pushed, intent } =
    early ?? begin(context, turn._id, droneOf(turn), by, turn.status === "aborting");
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

/** In memory at once, so that whoever looks or claims sees it; its write follows (A14). */
function storeIntent(
  context: TurnContext,
  turnId: TurnId,
  by: Person,
  from: TurnStatus,
  arrival?: Promise<unknown>,
): AbortIntent {
  const at = context.now();
  const asked = { abortRequestedAt: at, abortedBy: by };
  const ending = { signal: "abort", asked, from } as const;
  const store = () => move(context, turnId, ending, { unset: ["waitingFor"] });
  const write = arrival === undefined ? store() : arrival.then(store);
  const failed = (error: unknown): false => {
    context.log.error({ err: error, turnId }, "an abort could not be stored yet");
    return false;
  };
  const stored = write.then(
    (written) => {
      // For lists: nobody waits for it, and where the end has come already that one writes it.
      const ends = context.live.get(turnId)?.ending !== undefined;
      if (written?.status === "aborting" && !ends) rememberTurn(context, written).catch(failed);
      return written !== undefined;
    },
    (error: unknown) => {
      context.live.forgetAbort(turnId);
      return failed(error);
    },
  );
  const intent = { by, at, stored };
  context.live.askAbort(turnId, intent);
  return intent;
}
