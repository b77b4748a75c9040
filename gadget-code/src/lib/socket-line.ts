// oxlint-disable typescript/no-unsafe-type-assertion -- an order and its answer are typed by the same name
import {
  type AbortAnswer,
  ask,
  type DroneId,
  RefusalError,
  serverOrders,
  type TurnId,
} from "@gadget/api";
import type { DroneLine, OrderAnswer, OrderArgs, OrderName } from "../drones/drone-line.ts";
import type { DroneSocket } from "./drone-session.ts";

/** The drones that are connected to this node. */
export class SocketLine implements DroneLine {
  readonly #sockets = new Map<DroneId, DroneSocket>();

  /** A drone has one connection: a second one with its credential closes the first. */
  connect(droneId: DroneId, socket: DroneSocket): void {
    const old = this.#sockets.get(droneId);
    this.#sockets.set(droneId, socket);
    old?.disconnect(true);
  }

  disconnect(droneId: DroneId, socket: DroneSocket): void {
    if (this.#sockets.get(droneId) === socket) this.#sockets.delete(droneId);
  }

  isHere(droneId: DroneId): boolean {
    return this.#sockets.has(droneId);
  }

  async signalAbort(
    droneId: DroneId,
    turnId: TurnId,
    timeoutMs: number,
  ): Promise<AbortAnswer | undefined> {
    const socket = this.#sockets.get(droneId);
    if (socket === undefined) return undefined;
    return ask(socket, serverOrders, "abortWorkOrder", [turnId], timeoutMs).catch(() => undefined);
  }

  async order<Name extends OrderName>(
    droneId: DroneId,
    name: Name,
    args: OrderArgs<Name>,
    timeoutMs: number,
  ): Promise<OrderAnswer<Name>> {
    const socket = this.#sockets.get(droneId);
    if (socket === undefined) throw new RefusalError("drone_offline");
    const answer: unknown = await ask(socket, serverOrders, name, args as never, timeoutMs);
    return answer as OrderAnswer<Name>;
  }
}
