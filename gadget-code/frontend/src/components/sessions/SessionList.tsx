import type { ChatSession, ProjectId } from "@gadget/api";
import { Link } from "react-router";
import { ago } from "../../lib/ago.ts";
import { StateIcon } from "./StateIcon.tsx";
import { sessionWord } from "./session-word.ts";

interface Props {
  sessions: readonly ChatSession[];
  projectNames?: ReadonlyMap<ProjectId, string>;
}

export function SessionList({ sessions, projectNames }: Props) {
  return (
    <ul className="card divide-y divide-line overflow-hidden">
      {sessions.map((session) => {
        const word = sessionWord(session);
        return (
          <li key={session.id}>
            <Link
              to={`/sessions/${session.id}`}
              className="flex items-center gap-2.5 px-3.5 py-2 hover:bg-hover"
            >
              <StateIcon word={word} />
              <span title={session.title} className="min-w-0 flex-1 truncate">
                {session.title}
              </span>
              {word !== "idle" && (
                <span aria-hidden="true" className="shrink-0 text-xs text-muted">
                  {word}
                </span>
              )}
              <span
                title={projectNames?.get(session.projectId)}
                className="hidden max-w-40 shrink-0 truncate text-xs text-faint sm:block"
              >
                {projectNames?.get(session.projectId)}
              </span>
              <span className="w-24 shrink-0 text-right text-xs text-faint">
                {ago(session.updatedAt)}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
