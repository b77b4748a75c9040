import { isSettled, type Person, RefusalError, type TurnId } from "@gadget/api";
import type { QueryFilter } from "mongoose";
import type { StoredTurn } from "../models/chat-turn.ts";
import { settle } from "./settle.ts";
import { transition } from "./transition.ts";
import type { TurnContext } from "./turn-context.ts";

const killMs = 2_000;

/**
 * Settles an aborted turn without its drone: the epoch is raised first, so that nothing the
 * drone still sends is taken, and the drone is told to kill its work when it can be reached.
 */
export async function forceStop(
  context: TurnContext,
  turnId: TurnId,
  by: Person,
  mine: QueryFilter<StoredTurn>,
): Promise<StoredTurn> {
  const { models, line, live, log } = context;
  const turn = await models.turns.findOne({ ...mine, _id: turnId }).lean<StoredTurn>();
  if (turn === null) throw new RefusalError("not_found", "There is no such turn.");
  if (isSettled(turn.status)) {
    throw new RefusalError("not_running", `The turn is ${turn.status}.`, { status: turn.status });
  }
  await transition(models, turnId, "abort", {
    where: { status: "processing" },
    set: () => ({ abortRequestedAt: context.now(), abortedBy: by }),
  });
  const held = live.get(turnId);
  if (held !== undefined) live.remove(held);
  await models.turns.updateOne({ _id: turnId, unsettled: true }, { $inc: { epoch: 1 } });
  const settled = await settle(context, turnId, { signal: "force", abortedBy: by });
  const droneId = turn.lease?.droneId;
  if (droneId !== undefined) {
    line
      .order(droneId, "killWorkOrder", [{ turnId, epoch: turn.epoch }], killMs)
      .catch((error: unknown) => log.info({ err: error, turnId }, "the drone will kill it later"));
  }
  const now = settled ?? (await models.turns.findById(turnId).lean<StoredTurn>());
  return now ?? turn;
}
