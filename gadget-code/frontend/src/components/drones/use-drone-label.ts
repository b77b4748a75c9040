import type { Drone } from "@gadget/api";
import { useRequest } from "../../lib/use-request.ts";
import { droneLabel } from "./drone-label.ts";

/** Names a drone so that it can't be taken for another one that is listed. */
export function useDroneLabel(): (drone: Drone) => string {
  const { data } = useRequest("listDrones", {});
  return (drone) => droneLabel(drone, data?.items);
}
