import type { AnswerOf, ProjectId, RouteName } from "@gadget/api";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useServices } from "../../lib/services.ts";

const togetherMs = 300;

/** A project may have been made in another browser or by a script. */
function isKnown(client: QueryClient, projectId: ProjectId): boolean {
  const held = client.getQueriesData<AnswerOf<"listProjects">>({ queryKey: ["listProjects"] });
  return held.some(([, projects]) => projects?.items.some(({ id }) => id === projectId));
}

/** Keeps the lists of sessions and turns in step with what the server tells. */
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
        for (const each of due) {
          void client.invalidateQueries({ queryKey: [each] });
        }
        due.clear();
      }, togetherMs);
    };
    const stop = socket.subscribe({
      sessionChanged: ({ session }) => {
        stale("listSessions");
        if (!isKnown(client, session.projectId)) {
          stale("listProjects");
        }
      },
      turnChanged: () => {
        stale("listSessions");
        stale("listTurns");
      },
    });
    // What was told while the connection was gone is unknown: ask for all of it again.
    const stopLink = socket.onLink((link) => {
      if (link === "live") {
        void client.invalidateQueries();
      }
    });
    return () => {
      clearTimeout(timer);
      stop();
      stopLink();
    };
  }, [socket, client]);
}
