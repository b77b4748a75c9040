// oxlint-disable typescript/no-unsafe-type-assertion -- a wire's end stands for a socket
import type { DroneId } from "@gadget/api";
import { pino } from "pino";
import {
  type DroneContext,
  DroneSession,
  type DroneSocket,
} from "../../../gadget-code/src/lib/drone-session.ts";
import { SocketLine } from "../../../gadget-code/src/lib/socket-line.ts";
import type { Models } from "../../../gadget-code/src/models/models.ts";
import { noOtherNodes } from "../../../gadget-code/src/nodes/other-nodes.ts";
import { rateLimits } from "../../../gadget-code/src/people/rate-limits.ts";
import { Relayed } from "../../../gadget-code/src/people/relayed.ts";
import { secretOf } from "../../../gadget-code/src/secret.ts";
import { sweep } from "../../../gadget-code/src/turns/recovery/sweep.ts";
import { LiveTurns } from "../../../gadget-code/src/turns/state/live-turns.ts";
import type { Publisher } from "../../../gadget-code/src/turns/state/publisher.ts";
import { Life, mortalModels } from "./mortal-models.ts";
import type { WireEnd } from "./wire.ts";
import type { ProcessClock } from "./world-clock.ts";

const sweepMs = 10_000;

/** One life of the web server: the real verbs and drone sessions, with simulated sockets and time. */
export class SimulatedServer {
  readonly life = new Life();
  readonly context: DroneContext;
  readonly clock: ProcessClock;
  readonly #line = new SocketLine(undefined);
  readonly #ends = new Set<WireEnd>();

  constructor(models: Models, clock: ProcessClock, publish: Publisher, graceMs: number) {
    this.clock = clock;
    const now = () => new Date(Date.UTC(2026, 0, 1) + clock.now());
    this.context = {
      models: mortalModels(models, this.life),
      secret: secretOf(new Uint8Array(32)),
      live: new LiveTurns(),
      publish,
      line: this.#line,
      nodes: noOtherNodes,
      log: pino({ level: process.env["SIMULATION_LOG"] ?? "silent" }),
      graceMs,
      now,
      elapsed: () => clock.now(),
      wait: (ms) => clock.wait(ms),
      limits: rateLimits(),
      relayed: new Relayed(() => {}),
    };
    const again = () => {
      clock.after(
        sweepMs,
        () =>
          void sweep(this.context)
            .catch(() => {})
            .finally(again),
      );
    };
    again();
  }

  accept(droneId: DroneId, end: WireEnd): void {
    const handshake = { address: "simulated" };
    const socket = Object.assign(end, { handshake }) as unknown as DroneSocket;
    this.#ends.add(end);
    end.on("disconnect", () => this.#line.disconnect(droneId, socket));
    new DroneSession(socket, droneId, this.context, {
      onHello: () => this.#line.connect(droneId, socket),
      onChange: () => {},
    });
  }

  die(): void {
    this.life.isOver = true;
    this.clock.isDead = true;
    for (const end of this.#ends) {
      end.disconnect();
    }
  }
}
