import {
  isSettled,
  type TurnEventBody,
  type TurnId,
  type TurnSignal,
  type TurnStatus,
} from "@gadget/api";
import type { QueryFilter } from "mongoose";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredBatch } from "../models/turn-events.ts";
import { appendTerminal, lastBatch } from "./event-log.ts";
import { flush } from "./ingest.ts";
import { addCost, rememberTurn } from "./session-turn.ts";
import { transition } from "./transition.ts";
import type { TurnContext } from "./turn-context.ts";

export interface Ending {
  signal: TurnSignal;
  where?: QueryFilter<StoredTurn>;
  /** The state that it is in, most likely: that one is tried first. */
  from?: TurnStatus;
  errorMessage?: string | undefined;
  /** Who asked for the abort, and when, where that is not stored yet. */
  asked?: Pick<StoredTurn, "abortRequestedAt" | "abortedBy">;
  /** Force stop: what the drone still writes is not taken any more. */
  fence?: boolean;
}

/**
 * Brings a turn to its terminal state. The first one to get here wins; undefined tells a later
 * one that there is nothing left to do (A2, A7).
 */
export async function settle(
  context: TurnContext,
  turnId: TurnId,
  ending: Ending,
): Promise<StoredTurn | undefined> {
  const held = context.live.get(turnId);
  if (held !== undefined) await flush(context, held);
  return move(context, turnId, ending, {});
}

/**
 * Moves a turn to where the signal leads from the state that it is in. Where that is its end the
 * log is ended too; `otherwise` is what is written where it is not.
 */
export async function move(
  context: TurnContext,
  turnId: TurnId,
  { signal, where, from, errorMessage, asked, fence = false }: Ending,
  otherwise: { set?: Partial<StoredTurn>; unset?: readonly (keyof StoredTurn)[] },
): Promise<StoredTurn | undefined> {
  const { models, live } = context;
  const { ending } = live.get(turnId) ?? {};
  const end = {
    ...ending?.note,
    settledAt: context.now(),
    unlogged: true as const,
    ...(errorMessage !== undefined && { errorMessage }),
  };
  // After its end a drone sends nothing more: the log's end can be read beside the write.
  const last = ending === undefined ? undefined : lastBatch(models, turnId);
  last?.catch(() => {});
  const turn = await transition(models, turnId, signal, {
    ...(where && { where }),
    ...(from && { from }),
    set: (to) => ({ ...asked, ...(isSettled(to) ? end : otherwise.set) }),
    unset: (to) => (isSettled(to) ? ["unsettled", "waitingFor", "lease"] : (otherwise.unset ?? [])),
    raiseEpoch: fence,
  });
  if (turn === undefined || !isSettled(turn.status)) return turn;
  const held = live.get(turnId);
  if (held !== undefined) live.remove(held);
  context.nodes.turnEnded(turnId);
  await logTerminal(context, turn, await last);
  return turn;
}

/** Appends the terminal event; also called by the start-up sweep for a turn that lacks it. */
export async function logTerminal(
  context: TurnContext,
  turn: StoredTurn,
  last?: StoredBatch | null,
): Promise<void> {
  const { models, publish } = context;
  const { status, errorMessage, abortedBy, stopped } = turn;
  if (!isSettled(status)) throw new Error(`a turn can't end as ${status}`);
  const body: TurnEventBody = { type: "turn:changed", status, errorMessage, abortedBy, stopped };
  const at = turn.settledAt ?? context.now();
  const event = await appendTerminal(models, turn, body, at, last);
  // Stored is enough to be shown; the mark is only for the sweep.
  if (event !== undefined) {
    publish.turnEvents({ turnId: turn._id, sessionId: turn.sessionId }, [event]);
    publish.turnSettled(turn);
  }
  await models.turns.updateOne({ _id: turn._id }, { $unset: { unlogged: 1 } });
  if (event === undefined) return;
  await addCost(context, turn);
  await rememberTurn(context, turn);
}
