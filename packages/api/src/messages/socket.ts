import type { Refusal } from "../refusal.ts";
import type { Command, Commands, Notice, Notices } from "./command.ts";
import type { droneCommands, serverOrders } from "./drone.ts";
import type { AbortWorkOrderMessage, ideCommands, ideNotices } from "./ide.ts";

/** The listener that a command has on a socket: its arguments, then the acknowledgement. */
type CommandListener<Row> =
  Row extends Command<infer Args, unknown, infer Ack>
    ? (...args: [...args: Args, cb: (...ack: Ack) => void]) => void
    : never;

type NoticeListener<Row> = Row extends Notice<infer Args> ? (...args: Args) => void : never;

export type CommandListeners<Table extends Commands> = {
  [Name in keyof Table]: CommandListener<Table[Name]>;
};

export type NoticeListeners<Table extends Notices> = {
  [Name in keyof Table]: NoticeListener<Table[Name]>;
};

/** An acknowledgement follows `workOrderComplete`, but is not part of its signature. */
type WorkOrderComplete = {
  workOrderComplete: (
    turnId: Parameters<AbortWorkOrderMessage>[0],
    success: boolean,
    message?: string,
    cb?: (answer: Record<string, never> | Refusal) => void,
  ) => void;
};

interface Events {
  ide: {
    clientToServer: CommandListeners<typeof ideCommands>;
    serverToClient: NoticeListeners<typeof ideNotices>;
  };
  drone: {
    clientToServer: Omit<CommandListeners<typeof droneCommands>, "workOrderComplete"> &
      WorkOrderComplete;
    serverToClient: CommandListeners<typeof serverOrders>;
  };
}

export type SocketNamespace = keyof Events;
export const ideNamespace = "/ide";
export const droneNamespace = "/drone";

export type ClientToServerEvents<Of extends SocketNamespace> = Events[Of]["clientToServer"];
export type ServerToClientEvents<Of extends SocketNamespace> = Events[Of]["serverToClient"];
