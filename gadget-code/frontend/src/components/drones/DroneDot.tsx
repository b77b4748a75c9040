import type { Drone } from "@gadget/api";
import { ago } from "../../lib/ago.ts";
import { useLost } from "../../lib/use-lost.ts";

const looks: Record<Drone["status"], string> = {
  online: "bg-green",
  busy: "bg-blue",
  draining: "bg-yellow",
  stale: "bg-orange",
  offline: "bg-line-strong",
};

/** online · busy 2/4 · draining · stale · offline since … · unknown, while the server is away */
export function useDroneWord(): (drone: Drone) => string {
  const isLost = useLost() !== undefined;
  return (drone) => (isLost ? "unknown" : droneWord(drone));
}

function droneWord({ status, running, capacity, lastSeenAt }: Drone): string {
  if (status === "busy") {
    return `busy ${running}/${capacity}`;
  }
  if (status === "offline") {
    return lastSeenAt === null ? "never seen" : `offline, seen ${ago(lastSeenAt)}`;
  }
  return status;
}

export function DroneDot({ drone }: { drone: Drone }) {
  const isLost = useLost() !== undefined;
  return (
    <span
      aria-hidden="true"
      className={`inline-block size-2 shrink-0 rounded-full ${isLost ? looks.offline : looks[drone.status]}`}
    />
  );
}
