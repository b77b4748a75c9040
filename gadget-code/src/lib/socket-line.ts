// oxlint-disable typescript/no-unsafe-type-assertion -- an order and its answer are typed by the same name
import {
  type AbortAnswer,
  abortMessages,
  ask,
  type DroneId,
  RefusalError,
  serverOrders,
  type TurnId,
} from "@gadget/api";
import type { DroneLine, OrderAnswer, OrderArgs, OrderName } from "../drones/drone-line.ts";
import type { DroneSocket } from "./drone-session.ts";
import type { DroneNamespace } from "./namespaces.ts";
import { droneRoom } from "./rooms.ts";

/** The drones of this node by their socket; where there are other nodes, theirs by their room. */
export class SocketLine implements DroneLine {
  readonly #sockets = new Map<DroneId, DroneSocket>();
  readonly #everywhere: DroneNamespace | undefined;

  constructor(everywhere: DroneNamespace | undefined) {
    this.#everywhere = everywhere;
  }

  /** A drone has one connection: a second one with its credential closes the first. One may say hello again. */
  connect(droneId: DroneId, socket: DroneSocket): void {
    const old = this.#sockets.get(droneId);
    this.#sockets.set(droneId, socket);
    if (old !== socket) {
      old?.disconnect(true);
    }
  }

  disconnect(droneId: DroneId, socket: DroneSocket): void {
    if (this.#sockets.get(droneId) === socket) {
      this.#sockets.delete(droneId);
    }
  }

  /** It is connected to another node now. */
  drop(droneId: DroneId): void {
    const socket = this.#sockets.get(droneId);
    this.#sockets.delete(droneId);
    socket?.disconnect(true);
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
    if (socket !== undefined) {
      return ask(socket, serverOrders, "abortWorkOrder", [turnId], timeoutMs).catch(
        () => undefined,
      );
    }
    const success = await this.#askRoom(droneId, "abortWorkOrder", [turnId], timeoutMs).catch(
      () => undefined,
    );
    // Only the first argument of an acknowledgement comes from another node.
    if (typeof success !== "boolean") {
      return undefined;
    }
    return { success, message: success ? abortMessages.signaled : abortMessages.notRunning };
  }

  async order<Name extends OrderName>(
    droneId: DroneId,
    name: Name,
    args: OrderArgs<Name>,
    timeoutMs: number,
  ): Promise<OrderAnswer<Name>> {
    const socket = this.#sockets.get(droneId);
    const answer: unknown =
      socket === undefined
        ? serverOrders[name].fromAck([await this.#askRoom(droneId, name, args, timeoutMs)])
        : await ask(socket, serverOrders, name, args as never, timeoutMs);
    return answer as OrderAnswer<Name>;
  }

  /** The first answer of the drone, wherever it is. Nobody in its room: it is offline. */
  async #askRoom(
    droneId: DroneId,
    name: OrderName,
    args: unknown[],
    timeoutMs: number,
  ): Promise<unknown> {
    if (this.#everywhere === undefined) {
      throw new RefusalError("drone_offline");
    }
    // The adapter's encoding would make null of what is undefined.
    const plain: unknown = JSON.parse(JSON.stringify(args));
    const room = this.#everywhere.to(droneRoom(droneId)).timeout(timeoutMs);
    const answers: unknown = await room
      .emitWithAck(name, ...(plain as [never]))
      .catch((error: unknown) => {
        // Another connection of a drone that moved may be dead, and never answer.
        const some: unknown = error instanceof Error ? Reflect.get(error, "responses") : [];
        if (Array.isArray(some) && some.length > 0) {
          return some;
        }
        throw new RefusalError("unavailable", `No answer to ${name} in ${timeoutMs} ms.`);
      });
    if (!Array.isArray(answers) || answers.length === 0) {
      throw new RefusalError("drone_offline");
    }
    return answers[0];
  }
}
