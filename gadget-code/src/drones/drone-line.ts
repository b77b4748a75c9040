import type { AbortAnswer, CommandHandlers, DroneId, serverOrders, TurnId } from "@gadget/api";

type Orders = CommandHandlers<typeof serverOrders>;
export type OrderName = keyof Orders;
export type OrderArgs<Name extends OrderName> = Parameters<Orders[Name]>;
export type OrderAnswer<Name extends OrderName> = Awaited<ReturnType<Orders[Name]>>;

/** How the server reaches a drone, wherever it is connected. Every call has a time limit (A32). */
export interface DroneLine {
  /** Connected to this very node: only then may it hand out work. */
  isHere(droneId: DroneId): boolean;
  /** Undefined: the drone did not answer in time, or is not connected at all. */
  signalAbort(
    droneId: DroneId,
    turnId: TurnId,
    timeoutMs: number,
  ): Promise<AbortAnswer | undefined>;
  /** Throws `drone_offline`, `unavailable`, or what the drone refused. */
  order<Name extends OrderName>(
    droneId: DroneId,
    name: Name,
    args: OrderArgs<Name>,
    timeoutMs: number,
  ): Promise<OrderAnswer<Name>>;
}
