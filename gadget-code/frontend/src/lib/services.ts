import { createContext, use } from "react";
import type { Request } from "./api.ts";
import type { SocketClient } from "./socket.ts";

export interface Services {
  request: Request;
  socket: SocketClient;
}

/** The two ways to the server; tests provide their own. */
export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = use(ServicesContext);
  if (services === undefined) {
    throw new Error("There is no ServicesContext above this component.");
  }
  return services;
}
