import type { ProjectId } from "@gadget/api";
import { useLocation } from "react-router";
import { useRequest } from "../../lib/use-request.ts";

/** The project that is looked at, or the one that was worked in last. */
export function useCurrentProject(): ProjectId | undefined {
  const [, kind, id] = useLocation().pathname.split("/");
  const sessions = useRequest("listSessions", { query: { limit: 60 } });
  const projects = useRequest("listProjects", {});
  const all = projects.data?.items ?? [];
  const latest = sessions.data?.items ?? [];
  const open = kind === "sessions" ? latest.find((session) => session.id === id) : undefined;
  const shown = kind === "projects" ? all.find((project) => project.id === id) : undefined;
  return open?.projectId ?? shown?.id ?? latest[0]?.projectId ?? all[0]?.id;
}
