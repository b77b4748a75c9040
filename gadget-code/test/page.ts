import { type ClientToServerEvents, ideNamespace, type ServerToClientEvents } from "@gadget/api";
import { io, type Socket } from "socket.io-client";
import type { Person } from "./person.ts";

export interface Page {
  socket: Socket<ServerToClientEvents<"ide">, ClientToServerEvents<"ide">>;
  /** Resolves when the connection is gone, whoever closed it. */
  closed(): Promise<void>;
  close(): void;
}

/** A tab's connection; rejects with the server's refusal. */
export async function openPage(
  url: string,
  person: Pick<Person, "token" | "cookie">,
  by: "token" | "cookie" = "token",
): Promise<Page> {
  const socket: Page["socket"] = io(url + ideNamespace, {
    transports: ["websocket"],
    reconnection: false,
    forceNew: true,
    ...(by === "token"
      ? { auth: { token: person.token } }
      : { extraHeaders: { cookie: person.cookie, origin: url } }),
  });
  const gone = new Promise<void>((resolve) => void socket.once("disconnect", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return { socket, closed: () => gone, close: () => void socket.disconnect() };
}
