import { randomBytes } from "node:crypto";
import { DroneId, newId, RefusalError, type UserId } from "@gadget/api";
import { bearerHash, newBearer } from "../bearer.ts";
import type { StoredDrone } from "../models/drone.ts";
import type { Models } from "../models/models.ts";

const codeMinutes = 15;

export interface Enrollment {
  code: string;
  expiresAt: Date;
}

/** A one-time code; only its hash is stored. */
export async function createEnrollment(
  models: Models,
  owner: UserId,
  now: Date,
  local = false,
): Promise<Enrollment> {
  const code = randomBytes(18).toString("base64url");
  const expiresAt = new Date(now.getTime() + codeMinutes * 60_000);
  await models.enrollments.create([{ _id: bearerHash(code), owner, local, expiresAt }]);
  return { code, expiresAt };
}

/** Trades a code for a drone with a credential of its own. The code is gone with the first use. */
export async function enrollDrone(
  models: Models,
  { code, name, host }: { code: string; name: string; host: string },
  now: Date,
): Promise<{ drone: StoredDrone; credential: string }> {
  const enrollment = await models.enrollments
    .findOneAndDelete({ _id: bearerHash(code), expiresAt: { $gt: now } })
    .lean();
  if (enrollment === null) {
    throw new RefusalError(
      "forbidden",
      "This enrolment code was used or is too old. Make a new one on the Drones page.",
    );
  }
  const credential = newBearer("drone");
  const drone: StoredDrone = {
    _id: newId(DroneId),
    owner: enrollment.owner,
    name,
    credentialHash: bearerHash(credential),
    host,
    version: "",
    labels: [],
    shared: false,
    local: enrollment.local,
    draining: false,
    capacity: 1,
    running: 0,
    lastSeenAt: null,
    createdAt: now,
  };
  await models.drones.create([drone]);
  return { drone, credential };
}
