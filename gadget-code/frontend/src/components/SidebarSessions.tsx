import { NavLink } from "react-router";
import { useStore } from "zustand";
import { isUnseen, seenStore } from "../lib/seen-sessions.ts";
import { byDay, sessionWord } from "../lib/session-state-word.ts";
import { useRequest } from "../lib/use-request.ts";
import { StateIcon } from "./StateIcon.tsx";

export function SidebarSessions() {
  const sessions = useRequest("listSessions", { query: { limit: 60 } }, { everyMs: 30_000 });
  const seen = useStore(seenStore, (state) => state.seen);
  const projects = useRequest("listProjects", {});
  const names = new Map(projects.data?.items.map(({ id, name }) => [id, name]));
  if (sessions.data?.items.length === 0) {
    return <p className="px-2 text-xs text-faint">Sessions will be listed here.</p>;
  }
  return (
    <nav aria-label="Sessions">
      {byDay(sessions.data?.items ?? []).map(({ day, sessions: of }) => (
        <section key={day} className="mt-2">
          <h2 className="px-2 py-1 text-xs font-medium text-faint">{day}</h2>
          <ul className="flex flex-col gap-px">
            {of.map((session) => (
              <li key={session.id}>
                <NavLink
                  to={`/sessions/${session.id}`}
                  className="flex items-center gap-2 rounded-md px-2 py-1 text-[13px] leading-5 hover:bg-hover aria-[current=page]:bg-hover aria-[current=page]:font-medium"
                >
                  <StateIcon word={sessionWord(session)} />
                  <span className="min-w-0 flex-1">
                    <span className="block truncate">
                      {session.title}
                      {isUnseen(session, seen) && <span className="sr-only"> (new)</span>}
                    </span>
                    {names.size > 1 && (
                      <span className="block truncate text-xs font-normal text-faint">
                        {names.get(session.projectId)}
                      </span>
                    )}
                  </span>
                  {isUnseen(session, seen) && (
                    <span aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-accent" />
                  )}
                </NavLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
