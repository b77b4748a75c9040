import { type DroneId, isTerminal, turnStatuses } from "@gadget/api";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { DroneLine } from "../drones/drone-line.ts";
import type { Models } from "../models/models.ts";
import type { Publisher } from "../turns/state/publisher.ts";

const abortSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30];
const lagSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600];

export interface Connected {
  browsers: number;
  drones: number;
}

/** What Prometheus may read: counts and times, no names. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #settled: Counter;
  readonly #acknowledged: Histogram;
  readonly #abortSettled: Histogram;
  readonly #lag: Histogram;

  constructor(models: Models, connected: () => Connected) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#settled = new Counter({
      name: "gadget_turns_settled_total",
      help: "Turns that settled on this node, by their end.",
      labelNames: ["status"],
      registers,
    });
    this.#acknowledged = new Histogram({
      name: "gadget_abort_acknowledged_seconds",
      help: "From an abort's signal to the drone's acknowledgement.",
      buckets: abortSeconds,
      registers,
    });
    this.#abortSettled = new Histogram({
      name: "gadget_abort_settled_seconds",
      help: "From the request of an abort to the stored end of its turn.",
      buckets: abortSeconds,
      registers,
    });
    this.#lag = new Histogram({
      name: "gadget_outbox_lag_seconds",
      help: "From an event's making on its drone to its arrival here, by the drone's clock.",
      buckets: lagSeconds,
      registers,
    });
    new Gauge({
      name: "gadget_turns",
      help: "Stored turns, by status.",
      labelNames: ["status"],
      registers,
      async collect() {
        for (const status of turnStatuses) {
          this.set({ status }, await models.turns.countDocuments({ status }));
        }
      },
    });
    new Gauge({
      name: "gadget_connections",
      help: "Open sockets of this node, by kind.",
      labelNames: ["kind"],
      registers,
      collect() {
        const { browsers, drones } = connected();
        this.set({ kind: "browser" }, browsers);
        this.set({ kind: "drone" }, drones);
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** The same publisher, with an eye on what passes. */
  watch(publish: Publisher): Publisher {
    return {
      ...publish,
      turnEvents: (turn, events) => {
        publish.turnEvents(turn, events);
        const last = events.at(-1);
        // The server's own events, a turn's first and last, had no way to go.
        if (last === undefined || last.epoch === 0 || isTerminal(last)) {
          return;
        }
        this.#lag.observe(Math.max(0, Date.now() - Date.parse(last.at)) / 1_000);
      },
      turnSettled: (turn) => {
        publish.turnSettled(turn);
        const { status, abortRequestedAt, settledAt } = turn;
        this.#settled.inc({ status });
        if (abortRequestedAt === undefined || settledAt === undefined) {
          return;
        }
        const took = settledAt.getTime() - abortRequestedAt.getTime();
        this.#abortSettled.observe(Math.max(0, took) / 1_000);
      },
    };
  }

  /** The same line, with a clock on its aborts. */
  clock(line: DroneLine): DroneLine {
    return {
      isHere: (droneId: DroneId) => line.isHere(droneId),
      order: (droneId, name, args, timeoutMs) => line.order(droneId, name, args, timeoutMs),
      signalAbort: async (droneId, turnId, timeoutMs) => {
        const start = performance.now();
        const answer = await line.signalAbort(droneId, turnId, timeoutMs);
        if (answer !== undefined) {
          this.#acknowledged.observe((performance.now() - start) / 1_000);
        }
        return answer;
      },
    };
  }
}
