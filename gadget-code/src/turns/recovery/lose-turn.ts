import type { StoredTurn } from "../../models/chat-turn.ts";
import { settle } from "../settle.ts";
import type { TurnContext } from "../state/turn-context.ts";

/** Ends a turn whose worker was lost. */
export async function loseTurn(
  context: TurnContext,
  turn: Pick<StoredTurn, "_id" | "epoch">,
  errorMessage: string,
): Promise<void> {
  // One that was asked to stop is aborted, even where the asking is not stored yet.
  await context.live.abortOf(turn._id)?.stored;
  await settle(context, turn._id, { signal: "lose", epoch: turn.epoch, errorMessage });
}

/** This server stops together with the drone that its launcher started. */
export async function loseLocalTurns(context: TurnContext): Promise<void> {
  const { models } = context;
  const drones = await models.drones.find({ local: true }, { _id: 1 }).lean();
  const turns = await models.turns
    .find({ "lease.droneId": { $in: drones.map(({ _id }) => _id) }, unsettled: true })
    .lean<StoredTurn[]>();
  for (const turn of turns) {
    await loseTurn(context, turn, "stopped by shutdown");
  }
}
