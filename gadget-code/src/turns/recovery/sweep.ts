import type { StoredTurn } from "../../models/chat-turn.ts";
import { startQueued } from "../queue/start-queued.ts";
import { logTerminal } from "../settle.ts";
import type { TurnContext } from "../state/turn-context.ts";
import { loseTurn } from "./lose-turn.ts";
import { recoverTurn } from "./recover-turn.ts";

const lostGrace = "The drone was silent for too long.";

/** Ends the turns of drones whose grace is over, and finishes what a crash left half done. */
export async function sweep(context: TurnContext): Promise<void> {
  const { models, graceMs } = context;
  const unlogged = await models.turns.find({ unlogged: true }).lean<StoredTurn[]>();
  for (const turn of unlogged) {
    await recoverTurn(context, turn, async () => {
      const ended = await logTerminal(context, turn, false);
      await startQueued(context, ended);
    });
  }
  const held = await models.turns
    .find({ status: { $in: ["processing", "aborting"] }, unsettled: true })
    .lean<StoredTurn[]>();
  const silentSince = new Date(context.now().getTime() - graceMs);
  for (const turn of held) {
    await recoverTurn(context, turn, async () => {
      const droneId = turn.lease?.droneId ?? turn.droneId;
      const drone = droneId === null ? null : await models.drones.findById(droneId).lean();
      const leasedAt = turn.startedAt ?? turn.createdAt;
      // A lease is not over before it began: its drone may have been silent until then.
      const isHeard = [leasedAt, drone?.lastSeenAt].some((at) => at && at >= silentSince);
      if (!isHeard) {
        await loseTurn(context, turn, lostGrace);
      }
    });
  }
}
