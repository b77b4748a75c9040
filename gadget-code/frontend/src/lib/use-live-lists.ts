import type { AnswerOf, Drone, RouteName } from "@gadget/api";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useServices } from "./services.ts";

const togetherMs = 300;

type Drones = AnswerOf<"listDrones">;

function withDrone(drones: Drones, drone: Drone): Drones {
  const isKnown = drones.items.some(({ id }) => id === drone.id);
  const items = isKnown
    ? drones.items.map((held) => (held.id === drone.id ? drone : held))
    : [...drones.items, drone];
  return { ...drones, items };
}

/** Keeps the lists of sessions and drones in step with what the server tells. */
export function useLiveLists(): void {
  const { socket } = useServices();
  const client = useQueryClient();
  useEffect(() => {
    const due = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A turn changes several times a second at its ends: one question is enough for all of them.
    const stale = (name: RouteName): void => {
      due.add(name);
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const each of due) void client.invalidateQueries({ queryKey: [each] });
        due.clear();
      }, togetherMs);
    };
    const stop = socket.subscribe({
      sessionChanged: () => stale("listSessions"),
      turnChanged: () => {
        stale("listSessions");
        stale("listTurns");
      },
      droneChanged: ({ drone }) => {
        client.setQueriesData<Drones>({ queryKey: ["listDrones"] }, (held) =>
          held === undefined ? undefined : withDrone(held, drone),
        );
        client.setQueryData<AnswerOf<"getDrone">>(["getDrone", { params: { id: drone.id } }], {
          drone,
        });
      },
    });
    // What was told while the connection was gone is unknown: ask for all of it again.
    const stopLink = socket.onLink((link) => {
      if (link === "live") void client.invalidateQueries();
    });
    return () => {
      clearTimeout(timer);
      stop();
      stopLink();
    };
  }, [socket, client]);
}
