// oxlint-disable typescript/no-unsafe-type-assertion -- a wire's end stands for a socket, and nobody asks for services
import { type DroneId, InstanceId, newId } from "@gadget/api";
import { pino } from "pino";
import { type DroneSocket, GadgetDrone } from "../../../gadget-drone/src/gadget-drone.ts";
import { Lease } from "../../../gadget-drone/src/link/lease.ts";
import { Outboxes } from "../../../gadget-drone/src/link/outboxes.ts";
import { ServerHistory } from "../../../gadget-drone/src/link/server-history.ts";
import { ServerTime } from "../../../gadget-drone/src/link/server-time.ts";
import type { Requests } from "../../../gadget-drone/src/requests/requests.ts";
import {
  AgentService,
  type AgentServiceOptions,
} from "../../../gadget-drone/src/services/agent.ts";
import { type Disk, memoryLogs } from "./memory-logs.ts";
import { type Script, SimulatedTurn } from "./simulated-turn.ts";
import type { WireEnd } from "./wire.ts";
import type { ProcessClock } from "./world-clock.ts";

export interface SimulatedDroneOptions {
  droneId: DroneId;
  clock: ProcessClock;
  disk: Disk;
  script: () => Script;
  onTurn: (turn: SimulatedTurn) => void;
  spread: () => number;
  /** A new end of a wire; it dials by itself when `connect` is called. */
  dial: (clock: ProcessClock) => WireEnd;
}

const log = pino({ level: process.env["SIMULATION_LOG"] ?? "silent" });

/** One life of a drone: the real connection, lease, outboxes and tombstones; the work is a script. */
export async function startDrone(options: SimulatedDroneOptions): Promise<void> {
  const { droneId, clock, disk, script, onTurn, spread, dial } = options;
  const lease = new Lease(clock);
  const time = new ServerTime(clock, 0);
  const onError = (error: unknown) => {
    throw error;
  };
  const outboxes = new Outboxes({
    dataDir: "",
    clock,
    lease,
    time,
    onError,
    logs: memoryLogs(disk, clock),
  });
  await outboxes.readTails();
  const services = { capacity: 4, clock, lease, outboxes, log } as unknown as AgentServiceOptions;
  const agent = new AgentService({
    ...services,
    begin: (order, outbox) => {
      const turn = new SimulatedTurn(order, outbox, clock, script());
      onTurn(turn);
      return turn;
    },
  });
  const drone = new GadgetDrone({
    credential: { droneId, credential: "simulated" },
    instanceId: newId(InstanceId),
    version: "0",
    host: "simulated",
    capacity: 4,
    abilities: { git: false, ripgrep: false, supervisor: "subreaper", platform: "linux" },
    roots: [],
    clock,
    lease,
    time,
    outboxes,
    history: new ServerHistory(),
    agent,
    requests: {} as Requests,
    log,
    tunnel: () => ({}),
    onOnline: () => {},
    onBeat: () => {},
    onRefused: (refusal) => onError(refusal),
    dial: () => dial(clock) as unknown as DroneSocket,
    spread,
  });
  drone.connect("simulated");
}
