import type { DroneStatus } from "@gadget/api";

/** Often enough that a drone which is heard can't outlive its grace. */
export function heartbeatMs(graceMs: number): number {
  return Math.min(10_000, Math.max(100, Math.round(graceMs / 4)));
}

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
