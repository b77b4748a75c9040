import type { Drone } from "@gadget/api";
import { ago } from "../lib/duration.ts";
import { useDrone } from "../lib/use-drone.ts";
import { useSession } from "../session/session-context.ts";
import { runningEntry } from "../session/session-state.ts";

/** The link between server and drone, where it is down and something depends on it. */
export function DroneNotice() {
  const droneId = useSession(
    (state) => runningEntry(state)?.turn.droneId ?? state.session?.droneId,
  );
  const isRunning = useSession((state) => runningEntry(state) !== undefined);
  const known = useDrone(droneId);
  if (known === undefined || known.isThere) return null;
  const { drone } = known;
  const seen = drone.lastSeenAt === null ? "" : ` It was last seen ${ago(drone.lastSeenAt)}.`;
  return (
    <p role="status" className="rounded-lg bg-orange-soft px-3.5 py-2 text-[13px] text-orange">
      The drone {drone.name} is not connected.{seen}{" "}
      {isRunning
        ? `The turn goes on when it returns${untilOf(drone)}; after that it is marked interrupted.`
        : "What you send waits until it is back."}
    </p>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

function untilOf({ graceEndsAt }: Drone): string {
  return graceEndsAt === undefined ? " in time" : ` by ${clock.format(new Date(graceEndsAt))}`;
}
