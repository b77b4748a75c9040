import type { Drone, DroneId } from "@gadget/api";
import { useRequest } from "../../lib/use-request.ts";

/** A drone's latest known state, and whether the server hears from it. */
export function useDrone(
  droneId: DroneId | null | undefined,
): { drone: Drone; isThere: boolean } | undefined {
  const drones = useRequest("listDrones", {});
  const drone = drones.data?.items.find(({ id }) => id === droneId);
  if (drone === undefined) {
    return undefined;
  }
  return { drone, isThere: drone.status !== "offline" && drone.status !== "stale" };
}
