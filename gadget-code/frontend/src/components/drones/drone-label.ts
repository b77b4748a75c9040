import type { Drone } from "@gadget/api";

/** Its name; where another drone has the same, with its host, or with a piece of its id. */
export function droneLabel(drone: Drone, all: readonly Drone[] = []): string {
  const others = all.filter(({ id, name }) => id !== drone.id && name === drone.name);
  if (others.length === 0) {
    return drone.name;
  }
  const isHostOwn = drone.host !== drone.name && others.every(({ host }) => host !== drone.host);
  return `${drone.name} (${isHostOwn ? drone.host : drone.id.slice(-4)})`;
}
