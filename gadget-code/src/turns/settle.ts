import {
  isSettled,
  type TurnEventBody,
  type TurnId,
  type TurnSignal,
  type TurnStatus,
} from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredBatch } from "../models/turn-events.ts";
import { appendTerminal, lastBatch } from "./log/log-events.ts";
import { publishQueue } from "./message.ts";
import { noteLog } from "./note-log.ts";
import { addCost, rememberTurn } from "./state/remember-turn.ts";
import { transition } from "./state/transition.ts";
import type { TurnContext } from "./state/turn-context.ts";
import type { TurnFacts } from "./state/turn-facts.ts";

export interface Ending {
  signal: TurnSignal;
  /** Of the lease that it ends: a later one's turn is left alone. */
  epoch?: number;
  /** The state that it is in, most likely: that one is tried first. */
  from?: TurnStatus;
  errorMessage?: string | undefined;
  /** Who asked for the abort, and when, where that is not stored yet. */
  asked?: Pick<StoredTurn, "abortRequestedAt" | "abortedBy">;
  /** Force stop: what the drone still writes is not taken any more. */
  fence?: boolean;
  /** What its log says of it, where its holder knows that to the last event. */
  facts?: TurnFacts;
  /** What of the log is still on its way: the log's end follows it. Never rejects. */
  afterLog?: Promise<void> | undefined;
}

/**
 * Brings a turn to its terminal state. The first one to get here wins; undefined tells a later
 * one that there is nothing left to do (A2, A7). What a drone of this node said is stored before
 * that, and where the end can't be written the turn is held on, for whoever tries again.
 */
export async function settle(
  context: TurnContext,
  turnId: TurnId,
  ending: Ending & { epoch: number },
): Promise<StoredTurn | undefined> {
  const held = context.live.get(turnId);
  if (held?.epoch !== ending.epoch) {
    return move(context, turnId, ending);
  }
  const facts = await held.ending();
  const turn = await move(context, turnId, { ...ending, facts });
  held.letGo();
  return turn;
}

/**
 * Moves a turn to where the signal leads from the state that it is in. Where that is its end the
 * log is ended too; `otherwise` is what is written where it is not.
 */
export async function move(
  context: TurnContext,
  turnId: TurnId,
  { signal, epoch, from, errorMessage, asked, fence = false, facts, afterLog }: Ending,
  otherwise: { set?: Partial<StoredTurn>; unset?: readonly (keyof StoredTurn)[] } = {},
): Promise<StoredTurn | undefined> {
  const { models, live, nodes } = context;
  const end = {
    ...facts,
    settledAt: context.now(),
    unlogged: true as const,
    ...(errorMessage !== undefined && { errorMessage }),
  };
  // After its end a drone sends nothing more: the log's end can be read beside the write.
  const last = facts && lastBatch(models, turnId);
  last?.catch(() => {});
  const turn = await transition(models, turnId, signal, {
    ...(epoch !== undefined && { where: { epoch } }),
    ...(from && { from }),
    set: (to) => ({ ...asked, ...(isSettled(to) ? end : otherwise.set) }),
    unset: (to) => (isSettled(to) ? ["unsettled", "waitingFor", "lease"] : (otherwise.unset ?? [])),
    raiseEpoch: fence,
  });
  if (turn === undefined || !isSettled(turn.status)) {
    return turn;
  }
  live.end(turnId);
  nodes.turnEnded(turnId);
  await afterLog;
  return logTerminal(context, turn, facts !== undefined, await last);
}

/**
 * Appends the terminal event; also called by the sweep for a turn that lacks it. `isNoted`: all
 * that the log says is on the turn already. The mark goes last: what a crash cuts is done again.
 */
export async function logTerminal(
  context: TurnContext,
  ended: StoredTurn,
  isNoted: boolean,
  last?: StoredBatch | null,
): Promise<StoredTurn> {
  const { models, publish } = context;
  // A turn that no drone ever had has said nothing.
  const turn = isNoted || ended.epoch === 0 ? ended : await noteLog(context, ended);
  const { status, errorMessage, abortedBy, stopped } = turn;
  if (!isSettled(status)) {
    throw new Error(`a turn can't end as ${status}`);
  }
  const body: TurnEventBody = { type: "turn:changed", status, errorMessage, abortedBy, stopped };
  const at = turn.settledAt ?? context.now();
  const event = await appendTerminal(models, turn, body, at, last);
  // Stored is enough to be shown.
  if (event !== undefined) {
    publish.turnEvents({ turnId: turn._id, sessionId: turn.sessionId }, [event]);
    publish.turnSettled(turn);
  }
  await addCost(context, turn);
  if (event !== undefined || (await isLatest(context, turn))) {
    await rememberTurn(context, turn);
  }
  // What waits is paused by that.
  if (status !== "finished") {
    await publishQueue(context, turn);
  }
  await models.turns.updateOne({ _id: turn._id }, { $unset: { unlogged: 1 } });
  return turn;
}

/** A turn that is looked at late is not shown in the place of a newer one. */
async function isLatest({ models }: TurnContext, turn: StoredTurn): Promise<boolean> {
  const filter = { _id: turn.sessionId, "lastTurn.id": turn._id };
  return (await models.sessions.exists(filter)) !== null;
}
