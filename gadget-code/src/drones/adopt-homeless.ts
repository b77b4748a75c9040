import type { StoredDrone } from "../models/drone.ts";
import type { Models } from "../models/models.ts";

/** What its owner made before there was a drone, and all that waits in it, goes to this one. */
export async function adoptHomeless(
  models: Models,
  { _id: droneId, owner }: StoredDrone,
): Promise<void> {
  const homeless = { owner, droneId: null };
  const bind = { $set: { droneId } };
  await models.projects.updateMany(homeless, { ...bind, $unset: { lostDrone: 1 } });
  await models.sessions.updateMany(homeless, bind);
  await models.turns.updateMany({ ...homeless, status: "queued" }, bind);
}
