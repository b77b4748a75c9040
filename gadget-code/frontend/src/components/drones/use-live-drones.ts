import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useServices } from "../../lib/services.ts";
import { LiveDrones } from "./live-drones.ts";

const lookMs = 2_500;
/** By a clock of its own: a query's would start again with every heartbeat that is told. */
const refreshMs = 15_000;

/** Keeps the states of drones in step with what the server tells, and with what it does not. */
export function useLiveDrones(): void {
  const { socket } = useServices();
  const client = useQueryClient();
  useEffect(() => {
    const live = new LiveDrones(client);
    const stop = socket.subscribe({ droneChanged: ({ drone }) => live.take(drone) });
    const look = setInterval(() => {
      if (socket.link === "live") {
        live.age(performance.now());
      }
    }, lookMs);
    const refresh = setInterval(() => {
      if (socket.link === "live") {
        live.refresh();
      }
    }, refreshMs);
    return () => {
      stop();
      clearInterval(look);
      clearInterval(refresh);
    };
  }, [socket, client]);
}
