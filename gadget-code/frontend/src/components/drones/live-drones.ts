import type { AnswerOf, Drone, DroneId } from "@gadget/api";
import type { QueryClient } from "@tanstack/react-query";

type Drones = AnswerOf<"listDrones">;
type OneDrone = AnswerOf<"getDrone">;

interface Heard {
  lastSeenAt: string | null;
  at: number;
}

/** The server tells after 15 and 30 s; news of a heartbeat may be 5 s late here. */
const staleMs = 20_000;
const offlineMs = 35_000;

/**
 * The drones that the page holds, with what is told of them and what their silence tells. The
 * age of a heartbeat is counted by the page's own clock, from when it first heard of it: the two
 * clocks may differ, and the server may have nothing to tell with.
 */
export class LiveDrones {
  readonly #client: QueryClient;
  readonly #heard = new Map<DroneId, Heard>();

  constructor(client: QueryClient) {
    this.#client = client;
  }

  take(drone: Drone): void {
    this.#client.setQueriesData<Drones>({ queryKey: ["listDrones"] }, (held) =>
      held === undefined ? undefined : withDrone(held, drone),
    );
    this.#client.setQueryData<OneDrone>(["getDrone", { params: { id: drone.id } }], { drone });
  }

  refresh(): void {
    for (const name of ["listDrones", "getDrone"]) {
      void this.#client.invalidateQueries({ queryKey: [name] });
    }
  }

  /** Looks at what is held: a drone that has been silent for too long becomes stale, then offline. */
  age(now: number): void {
    this.#client.setQueriesData<Drones>({ queryKey: ["listDrones"] }, (held) => {
      if (held === undefined) {
        return undefined;
      }
      const items = held.items.map((drone) => this.#aged(drone, now));
      return items.every((drone, at) => drone === held.items[at]) ? undefined : { ...held, items };
    });
    this.#client.setQueriesData<OneDrone>({ queryKey: ["getDrone"] }, (held) => {
      if (held === undefined) {
        return undefined;
      }
      const drone = this.#aged(held.drone, now);
      return drone === held.drone ? undefined : { drone };
    });
  }

  #aged(drone: Drone, now: number): Drone {
    const { id, lastSeenAt, status } = drone;
    const heard = this.#heard.get(id);
    if (heard === undefined || heard.lastSeenAt !== lastSeenAt) {
      this.#heard.set(id, { lastSeenAt, at: now });
      return drone;
    }
    const silence = now - heard.at;
    if (status === "offline" || silence < staleMs) {
      return drone;
    }
    if (silence >= offlineMs) {
      return { ...drone, status: "offline" };
    }
    return status === "stale" ? drone : { ...drone, status: "stale" };
  }
}

function withDrone(drones: Drones, drone: Drone): Drones {
  const isKnown = drones.items.some(({ id }) => id === drone.id);
  const items = isKnown
    ? drones.items.map((held) => (held.id === drone.id ? drone : held))
    : [...drones.items, drone];
  return { ...drones, items };
}
