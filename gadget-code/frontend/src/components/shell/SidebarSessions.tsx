import type { ChatSession } from "@gadget/api";
import { useState } from "react";
import { Link } from "react-router";
import { useRequest } from "../../lib/use-request.ts";
import { SidebarSession } from "../sessions/SidebarSession.tsx";
import { byProject } from "../sessions/session-word.ts";

const shownAtFirst = 8;

/** The sessions under their projects, the one worked in last on top. */
export function SidebarSessions() {
  const sessions = useRequest("listSessions", { query: { limit: 60 } }, { everyMs: 30_000 });
  const projects = useRequest("listProjects", {});
  const names = new Map(projects.data?.items.map(({ id, name }) => [id, name]));
  if (sessions.data?.items.length === 0) {
    return <p className="px-2 text-xs text-faint">Sessions will be listed here.</p>;
  }
  return (
    <nav aria-label="Sessions">
      {byProject(sessions.data?.items ?? []).map(({ projectId, sessions: of }) => (
        <section key={projectId} className="mt-2">
          <h2 className="px-2 py-1 text-xs font-medium text-faint">
            <Link
              to={`/projects/${projectId}`}
              title={names.get(projectId)}
              className="block truncate hover:text-ink"
            >
              {names.get(projectId) ?? "Project"}
            </Link>
          </h2>
          <ProjectSessions sessions={of} />
        </section>
      ))}
    </nav>
  );
}

function ProjectSessions({ sessions }: { sessions: readonly ChatSession[] }) {
  const [isWhole, setWhole] = useState(false);
  const more = sessions.length - shownAtFirst;
  return (
    <ul className="flex flex-col gap-px">
      {sessions.slice(0, isWhole ? undefined : shownAtFirst).map((session) => (
        <SidebarSession key={session.id} session={session} />
      ))}
      {more > 0 && (
        <li>
          <button
            type="button"
            className="w-full rounded-md px-2 py-1 text-left text-xs text-faint hover:bg-hover hover:text-ink"
            onClick={() => setWhole(!isWhole)}
          >
            {isWhole ? "Show fewer" : `Show ${more} more`}
          </button>
        </li>
      )}
    </ul>
  );
}
