import { type Person, RefusalError } from "@gadget/api";
import type { StoredDrone } from "../models/drone.ts";
import type { Models } from "../models/models.ts";
import type { StoredUser } from "../models/user.ts";

/** Whoever runs commands on the server's own drone runs them as the server's user. */
export function refuseToShare(user: StoredUser, drone: StoredDrone): void {
  if (user.role !== "owner") {
    throw new RefusalError("forbidden", "Only an owner can share a drone with all members.");
  }
  if (drone.local) {
    throw new RefusalError(
      "forbidden",
      "This drone runs as the server's own user: its commands can read the server's database and keys. To share a drone, add one that runs as another user or on another machine (Drones, Add drone).",
    );
  }
}

/** What the owner reads on the drone's page until they say that they have seen it. */
export async function noteOnDrone(
  models: Models,
  { _id }: Pick<StoredDrone, "_id">,
  text: string,
  at: Date,
): Promise<void> {
  await models.drones.updateOne(
    { _id },
    { $push: { notices: { $each: [{ at, text }], $slice: -20 } } },
  );
}

export async function ownerOf(models: Models, { owner }: StoredDrone): Promise<Person> {
  const user = await models.users.findById(owner, { name: 1 }).lean();
  return { id: owner, name: user?.name ?? "" };
}
