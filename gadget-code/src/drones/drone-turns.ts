import type { DroneTurn, UserId } from "@gadget/api";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredDrone } from "../models/drone.ts";
import type { Models } from "../models/models.ts";

/** The filter of what runs on a drone: all of it for its owner, one's own for others. */
export function runningOn({ _id, owner }: StoredDrone, viewer: UserId) {
  const held = { "lease.droneId": _id, unsettled: true as const };
  return owner === viewer ? held : { ...held, owner: viewer };
}

/** A drone's owner may end what runs on it, which is no reason to read another one's prompt. */
export async function droneTurns(
  models: Models,
  turns: readonly StoredTurn[],
  viewer: UserId,
): Promise<DroneTurn[]> {
  const owners = [...new Set(turns.map(({ owner }) => owner))];
  const users = await models.users.find({ _id: { $in: owners } }, { name: 1 }).lean();
  const names = new Map(users.map(({ _id, name }) => [_id, name]));
  return turns.map((turn) => ({
    id: turn._id,
    by: { id: turn.owner, name: names.get(turn.owner) ?? "" },
    status: turn.status,
    waitingFor: turn.waitingFor,
    createdAt: turn.createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString(),
    abortRequestedAt: turn.abortRequestedAt?.toISOString(),
    ...(turn.owner === viewer && { own: { sessionId: turn.sessionId, prompt: turn.prompt } }),
  }));
}
