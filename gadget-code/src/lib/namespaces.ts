import type { ClientToServerEvents, ServerToClientEvents } from "@gadget/api";
import type { Namespace } from "socket.io";

export type IdeNamespace = Namespace<
  ClientToServerEvents<"ide">,
  ServerToClientEvents<"ide">,
  { node: (text: string) => void }
>;

export type DroneNamespace = Namespace<
  ClientToServerEvents<"drone">,
  ServerToClientEvents<"drone">
>;
