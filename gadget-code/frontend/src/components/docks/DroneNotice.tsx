import type { Drone } from "@gadget/api";
import { ago, clockTime } from "../../lib/ago.ts";
import { useLost } from "../../lib/use-lost.ts";
import { useSession } from "../../session/session-context.ts";
import { runningEntry } from "../../session/session-state.ts";
import { statusOf } from "../../session/turn-entry.ts";
import { useDrone } from "../drones/use-drone.ts";
import { useDroneLabel } from "../drones/use-drone-label.ts";

/** The link between server and drone, where it is down and something depends on it. */
export function DroneNotice() {
  const droneId = useSession(
    (state) => runningEntry(state)?.turn.droneId ?? state.session?.droneId,
  );
  const status = useSession((state) => {
    const entry = runningEntry(state);
    return entry && statusOf(entry);
  });
  const known = useDrone(droneId);
  const droneLabel = useDroneLabel();
  // Of what lies behind a lost connection nothing is known.
  const isLost = useLost() !== undefined;
  if (known === undefined || known.isThere || isLost) {
    return null;
  }
  const { drone } = known;
  const seen = drone.lastSeenAt === null ? "" : `, last seen ${ago(drone.lastSeenAt)}`;
  return (
    <p role="status" className="rounded-lg bg-orange-soft px-3.5 py-2 text-[13px] text-orange">
      {droneLabel(drone)} can't be reached{seen}.{" "}
      {status === undefined
        ? "What you send waits until it is back."
        : status === "aborting"
          ? `The turn stops when it is back${latestOf(drone)}.`
          : `The turn goes on when it is back${untilOf(drone)}, or ends as interrupted.`}
    </p>
  );
}

function untilOf({ graceEndsAt }: Drone): string {
  return graceEndsAt === undefined ? " in time" : ` by ${clockTime(graceEndsAt)}`;
}

function latestOf({ graceEndsAt }: Drone): string {
  return graceEndsAt === undefined
    ? " or is given up"
    : `, at the latest at ${clockTime(graceEndsAt)}`;
}
