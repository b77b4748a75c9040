import {
  nextStatus,
  statesAccepting,
  type TurnId,
  type TurnSignal,
  type TurnStatus,
} from "@gadget/api";
import type { QueryFilter } from "mongoose";
import type { StoredTurn } from "../../models/chat-turn.ts";
import type { Models } from "../../models/models.ts";

export interface Change {
  /** What must hold beside the status, such as the epoch of a lease. */
  where?: QueryFilter<StoredTurn>;
  /** The state to try first. */
  from?: TurnStatus;
  set?: (to: TurnStatus) => Partial<StoredTurn>;
  unset?: (to: TurnStatus) => readonly (keyof StoredTurn)[];
  /** A claim and Force stop raise the epoch in the same write. */
  raiseEpoch?: boolean;
}

/**
 * The only writer of a turn's status: compare-and-set from the states that the table allows
 * (A2). Undefined: no state of the turn accepts the signal, so nothing was written.
 */
export async function transition(
  models: Models,
  turnId: TurnId,
  signal: TurnSignal,
  { where = {}, from: likely, set = () => ({}), unset = () => [], raiseEpoch = false }: Change = {},
): Promise<StoredTurn | undefined> {
  const accepting = statesAccepting(signal);
  const states = new Set(likely === undefined ? accepting : [likely, ...accepting]);
  // A turn moves at most twice before it settles, so a third look can't be overtaken again.
  for (let look = 0; look < 3; look += 1) {
    for (const from of states) {
      const to = nextStatus(from, signal);
      if (to === undefined) {
        continue;
      }
      const turn = await models.turns
        .findOneAndUpdate(
          { $and: [where, { _id: turnId, status: from }] },
          {
            $set: { ...set(to), status: to },
            $unset: Object.fromEntries(unset(to).map((key) => [key, 1])),
            ...(raiseEpoch && { $inc: { epoch: 1 } }),
          },
          { returnDocument: "after" },
        )
        .lean<StoredTurn>();
      if (turn !== null) {
        return turn;
      }
    }
    const movable = { _id: turnId, status: { $in: accepting } };
    if ((await models.turns.exists({ $and: [where, movable] })) === null) {
      return undefined;
    }
  }
  return undefined;
}
