import { noteOnDrone } from "../drones/share.ts";
import type { StoredDrone } from "../models/drone.ts";
import { type Audited, audit } from "../people/audit.ts";
import { endedWords, endUnshared } from "../turns/end-foreign.ts";
import type { TurnContext } from "../turns/state/turn-context.ts";

/** A drone that is shared no more: what members run there ends, and it is written down. */
export async function unshareDrone(
  context: TurnContext,
  drone: StoredDrone,
  entry: Omit<Audited, "action" | "detail">,
): Promise<void> {
  const ended = await endUnshared(context, drone);
  const detail = `${drone.name}: ${endedWords(ended)}`;
  audit(context, { action: "drone unshared", ...entry, detail });
}

/** At start-up: a drone that runs as the server's user may have been shared by an older version. */
export async function unshareLocal(context: TurnContext): Promise<void> {
  const { models, log } = context;
  const shared = { local: true, shared: true };
  for (const drone of await models.drones.find(shared).lean<StoredDrone[]>()) {
    await models.drones.updateOne({ _id: drone._id }, { $set: { shared: false } });
    const text =
      "It is not shared any more: it runs as the server's own user, so that members' commands could read the server's database and keys. Add a drone that runs as another user to share one.";
    await noteOnDrone(models, drone, text, context.now());
    log.warn({ droneId: drone._id }, "the server's own drone was shared, and is not any more");
    await unshareDrone(context, { ...drone, shared: false }, { by: null, subject: drone._id });
  }
}
