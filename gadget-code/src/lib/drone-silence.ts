import type { DroneId } from "@gadget/api";
import type { Logger } from "pino";
import type { StoredDrone } from "../models/drone.ts";
import { droneStatus, untilNextSilence } from "../models/drone-status.ts";

interface Options {
  /** As it is stored now; undefined: it was revoked. */
  read: (droneId: DroneId) => Promise<StoredDrone | undefined>;
  tell: (drone: StoredDrone) => void;
  now: () => Date;
  log: Pick<Logger, "warn">;
}

/** The timer must not be early: what is told then would be what was told before. */
const slackMs = 50;
const againMs = 5_000;

/**
 * Tells of a drone that is not heard any more, at the moment when its status changes by that. The
 * node that heard it last watches; a drone that has gone to another node is watched there.
 */
export class DroneSilence {
  readonly #options: Options;
  readonly #timers = new Map<DroneId, NodeJS.Timeout>();

  constructor(options: Options) {
    this.#options = options;
  }

  heard(drone: StoredDrone): void {
    this.#wait(drone._id, untilNextSilence(drone, this.#options.now()));
  }

  close(): void {
    for (const timer of this.#timers.values()) {
      clearTimeout(timer);
    }
    this.#timers.clear();
  }

  #wait(droneId: DroneId, ms: number | undefined): void {
    clearTimeout(this.#timers.get(droneId));
    this.#timers.delete(droneId);
    if (ms === undefined) {
      return;
    }
    const look = (): void => void this.#look(droneId, timer);
    const timer = setTimeout(look, ms + slackMs).unref();
    this.#timers.set(droneId, timer);
  }

  async #look(droneId: DroneId, timer: NodeJS.Timeout): Promise<void> {
    const { read, tell, now, log } = this.#options;
    try {
      const drone = await read(droneId);
      // It was heard here meanwhile, and another timer runs.
      if (this.#timers.get(droneId) !== timer) {
        return;
      }
      this.#timers.delete(droneId);
      if (drone === undefined) {
        return;
      }
      const status = droneStatus(drone, now());
      if (status !== "stale" && status !== "offline") {
        return;
      }
      tell(drone);
      this.heard(drone);
    } catch (error) {
      log.warn({ err: error, droneId }, "a silent drone could not be read; it is tried again");
      if (this.#timers.get(droneId) === timer) {
        this.#wait(droneId, againMs);
      }
    }
  }
}
