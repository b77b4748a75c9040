import type { Drone, DroneAbilities, DroneId, InstanceId, UserId } from "@gadget/api";
import { type Connection, Schema } from "mongoose";
import { droneStatus } from "./drone-status.ts";

export interface StoredDrone {
  _id: DroneId;
  owner: UserId;
  name: string;
  credentialHash: string;
  host: string;
  version: string;
  labels: string[];
  shared: boolean;
  /** Started by this server's own launcher: it stops when the server is stopped. */
  local: boolean;
  draining: boolean;
  capacity: number;
  running: number;
  instanceId?: InstanceId;
  /** The web node at which it said hello last. */
  node?: string;
  protocol?: number;
  rttMs?: number;
  abilities?: DroneAbilities;
  roots?: string[];
  /** The processes that said hello with its credential, the latest last. */
  instances?: { id: InstanceId; host: string }[];
  notices?: { at: Date; text: string }[];
  /** The last heartbeat, by the server's clock. */
  lastSeenAt: Date | null;
  createdAt: Date;
}

const schema = new Schema<StoredDrone>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    name: { type: String, required: true },
    credentialHash: { type: String, required: true },
    host: { type: String, required: true },
    version: { type: String, default: "" },
    labels: { type: [String], required: true },
    shared: { type: Boolean, required: true },
    local: { type: Boolean, required: true },
    draining: { type: Boolean, required: true },
    capacity: { type: Number, required: true },
    running: { type: Number, required: true },
    instanceId: String,
    node: String,
    protocol: Number,
    rttMs: Number,
    abilities: Schema.Types.Mixed,
    roots: [String],
    instances: Schema.Types.Mixed,
    notices: Schema.Types.Mixed,
    lastSeenAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// A person's list: their own, and the shared ones.
schema.index({ owner: 1, createdAt: 1 });
schema.index({ shared: 1 });

export function droneModel(connection: Connection) {
  return connection.model<StoredDrone>("drone", schema, "drones");
}

/** `graceMs`: where it is to be told until when the turns of a silent drone can go on. */
export function droneToWire(
  drone: StoredDrone,
  viewer: UserId | undefined,
  now: Date,
  graceMs?: number,
): Drone {
  const { _id, name, host, version, labels, running, capacity, lastSeenAt } = drone;
  const graceEnd =
    graceMs === undefined || lastSeenAt === null
      ? undefined
      : new Date(lastSeenAt.getTime() + graceMs);
  return {
    id: _id,
    name,
    status: droneStatus(drone, now),
    host,
    version,
    labels,
    running,
    capacity,
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
    graceEndsAt: graceEnd?.toISOString(),
    shared: drone.shared,
    mine: drone.owner === viewer,
    protocol: drone.protocol,
    rttMs: drone.rttMs,
    abilities: drone.abilities,
    roots: drone.roots,
    ...(drone.local && { local: true }),
    ...(drone.owner === viewer && {
      notices: drone.notices?.map(({ at, text }) => ({ at: at.toISOString(), text })),
    }),
  };
}
