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

function silenceOf({ lastSeenAt }: Pick<Seen, "lastSeenAt">, now: Date): number {
  return lastSeenAt === null ? Infinity : now.getTime() - lastSeenAt.getTime();
}

/** When its silence changes its status next; undefined: it has been offline for so long already. */
export function untilNextSilence(drone: Pick<Seen, "lastSeenAt">, now: Date): number | undefined {
  const silence = silenceOf(drone, now);
  const next = [onlineMs, staleMs].find((ms) => ms > silence);
  return next === undefined ? undefined : next - silence;
}

/** A drone's state comes from its heartbeats alone. */
export function droneStatus(drone: Seen, now: Date): DroneStatus {
  const silence = silenceOf(drone, now);
  if (silence >= staleMs) {
    return "offline";
  }
  if (silence >= onlineMs) {
    return "stale";
  }
  if (drone.draining) {
    return "draining";
  }
  return drone.running >= drone.capacity ? "busy" : "online";
}
