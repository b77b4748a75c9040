import {
  type DroneId,
  type ProjectId,
  type ProviderId,
  RefusalError,
  type SessionId,
  type TurnId,
  type UserId,
} from "@gadget/api";
import type { QueryFilter } from "mongoose";
import type { StoredSession } from "../models/chat-session.ts";
import type { StoredTurn } from "../models/chat-turn.ts";
import type { StoredDrone } from "../models/drone.ts";
import type { Models } from "../models/models.ts";
import type { StoredProject } from "../models/project.ts";
import type { StoredProvider } from "../models/provider.ts";

/** One's own, and what its owner shares. */
export function usableBy<Stored extends { owner: UserId; shared: boolean }>(user: UserId) {
  return { $or: [{ owner: user }, { shared: true }] } as QueryFilter<Stored>;
}

function found<Stored>(noun: string, stored: Stored | null): Stored {
  if (stored === null) {
    throw new RefusalError("not_found", `There is no such ${noun}.`);
  }
  return stored;
}

const noDrone = "There is no drone for this any more. Choose another one for the project.";

export const noLongerShared = ({ name }: StoredDrone): string =>
  `The drone ${name} is not shared with you any more. Choose another one for the project.`;

/** What a person may touch. The owner is in every query: what is not yours is not there. */
export function ownedBy(models: Models, owner: UserId) {
  return {
    project: async (_id: ProjectId): Promise<StoredProject> =>
      found("project", await models.projects.findOne({ _id, owner }).lean<StoredProject>()),
    session: async (_id: SessionId): Promise<StoredSession> =>
      found("session", await models.sessions.findOne({ _id, owner }).lean<StoredSession>()),
    turn: async (_id: TurnId): Promise<StoredTurn> =>
      found("turn", await models.turns.findOne({ _id, owner }).lean<StoredTurn>()),
    drone: async (_id: DroneId): Promise<StoredDrone> =>
      found("drone", await models.drones.findOne({ _id, owner }).lean<StoredDrone>()),
    provider: async (_id: ProviderId): Promise<StoredProvider> =>
      found("provider", await models.providers.findOne({ _id, owner }).lean<StoredProvider>()),
    /** The drone on which something of one's own is; it may have been shared, and not any more. */
    reachable: async (_id: DroneId | null): Promise<DroneId> => {
      const drone = _id === null ? null : await models.drones.findById(_id).lean<StoredDrone>();
      if (drone === null) {
        throw new RefusalError("drone_offline", noDrone);
      }
      if (drone.owner === owner || drone.shared) {
        return drone._id;
      }
      throw new RefusalError("forbidden", noLongerShared(drone));
    },
    usableDrone: async (_id: DroneId): Promise<StoredDrone> => {
      const filter = { $and: [{ _id }, usableBy<StoredDrone>(owner)] };
      return found("drone", await models.drones.findOne(filter).lean<StoredDrone>());
    },
    usableProvider: async (_id: ProviderId): Promise<StoredProvider> => {
      const filter = { $and: [{ _id }, usableBy<StoredProvider>(owner)] };
      return found("provider", await models.providers.findOne(filter).lean<StoredProvider>());
    },
  };
}

/** A turn may be ended by its owner, and by the owner of the drone that it runs on. */
export async function endableBy(models: Models, owner: UserId): Promise<QueryFilter<StoredTurn>> {
  const drones = await models.drones.find({ owner }, { _id: 1 }).lean();
  return { $or: [{ owner }, { "lease.droneId": { $in: drones.map(({ _id }) => _id) } }] };
}
