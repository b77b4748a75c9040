import type { DroneId, TurnId } from "@gadget/api";
import type { StoredTurn } from "../../models/chat-turn.ts";
import { release } from "../release.ts";
import type { TurnContext } from "../state/turn-context.ts";

const killMs = 2_000;

/** For a heartbeat's answer: which of the turns it names should be aborted or killed. */
export async function reviewRunning(
  context: TurnContext,
  droneId: DroneId,
  running: TurnId[],
): Promise<{ abort: TurnId[]; kill: TurnId[] }> {
  await takeBack(context, droneId, running);
  if (running.length === 0) {
    return { abort: [], kill: [] };
  }
  const turns = await context.models.turns
    .find({ _id: { $in: running } }, { status: 1, lease: 1, abortRequestedAt: 1, unsettled: 1 })
    .lean<StoredTurn[]>();
  const byId = new Map(turns.map((turn) => [turn._id, turn]));
  const abort: TurnId[] = [];
  const kill: TurnId[] = [];
  for (const turnId of running) {
    const turn = byId.get(turnId);
    if (turn?.unsettled !== true || turn.lease?.droneId !== droneId) {
      kill.push(turnId);
    } else if (turn.abortRequestedAt !== undefined || context.live.abortOf(turnId) !== undefined) {
      abort.push(turnId);
    }
  }
  return { abort, kill };
}

/**
 * A drone that did not answer an order and does not run it has never got it. The first heartbeat
 * may have left before the order came; the second one follows the first one's answer, which was
 * behind the order on the same connection.
 */
async function takeBack(
  context: TurnContext,
  droneId: DroneId,
  running: readonly TurnId[],
): Promise<void> {
  for (const turn of context.live.ofDrone(droneId)) {
    const { turnId, epoch, order } = turn;
    if (running.includes(turnId)) {
      continue;
    }
    if (order === "silent") {
      turn.order = "doubted";
    }
    if (order !== "doubted") {
      continue;
    }
    context.line
      .order(droneId, "killWorkOrder", [{ turnId, epoch }], killMs)
      .catch((error: unknown) => context.log.info({ err: error, turnId }, "nothing was killed"));
    await release(context, { _id: turnId, epoch });
  }
}
