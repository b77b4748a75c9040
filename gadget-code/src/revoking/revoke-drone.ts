import type { StoredSession } from "../models/chat-session.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredDrone } from "../models/drone.ts";
import type { HangUp } from "../people/hang-up.ts";
import { loseTurn } from "../turns/recovery/lose-turn.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";

/**
 * Ends a drone's credential and its connection at once. What it ran is lost; what waits for it
 * waits for another drone, to which its owner moves the project, or which adopts it.
 */
export async function revokeDrone(
  context: TurnContext & { hangUp: HangUp },
  { _id: droneId, name }: Pick<StoredDrone, "_id" | "name">,
): Promise<void> {
  const { models, hangUp, publish } = context;
  await models.drones.deleteOne({ _id: droneId });
  hangUp.drone(droneId);
  const leased = await models.turns
    .find({ "lease.droneId": droneId, unsettled: true })
    .lean<StoredTurn[]>();
  for (const turn of leased) {
    await loseTurn(context, turn, "The drone was revoked while it worked on this turn.");
  }
  const homeless = { $set: { droneId: null } };
  await models.projects.updateMany({ droneId }, { $set: { droneId: null, lostDrone: name } });
  const sessions = await models.sessions.find({ droneId }).lean<StoredSession[]>();
  await models.sessions.updateMany({ droneId }, homeless);
  for (const session of sessions) {
    publish.sessionChanged({ ...session, droneId: null });
  }
  await models.turns.updateMany(
    { droneId, status: "queued" },
    { $set: { droneId: null, waitingFor: "drone" } },
  );
}
