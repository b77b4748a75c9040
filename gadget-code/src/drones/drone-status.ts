import type { DroneStatus } from "@gadget/api";

export const heartbeatMs = 10_000;
const onlineMs = 15_000;
const staleMs = 30_000;

interface Seen {
  lastSeenAt: Date | null;
  draining: boolean;
  running: number;
  capacity: number;
}

/** A drone's state comes from its heartbeats alone. */
export function droneStatus(drone: Seen, now: Date): DroneStatus {
  const silence = drone.lastSeenAt === null ? Infinity : now.getTime() - drone.lastSeenAt.getTime();
  if (silence >= staleMs) return "offline";
  if (silence >= onlineMs) return "stale";
  if (drone.draining) return "draining";
  return drone.running >= drone.capacity ? "busy" : "online";
}
