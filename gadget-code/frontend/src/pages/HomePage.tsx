import type { ChatSession, Project } from "@gadget/api";
import { Link, useNavigate } from "react-router";
import { Button } from "../components/Button.tsx";
import { sentenceOf } from "../lib/api.ts";
import { ago } from "../lib/duration.ts";
import { useServices } from "../lib/services.ts";
import { showToast } from "../lib/toast.ts";
import { useRequest } from "../lib/use-request.ts";

export function HomePage() {
  const projects = useRequest("listProjects", {});
  const sessions = useRequest("listSessions", {});
  const problem = projects.problem ?? sessions.problem;
  return (
    <main className="mx-auto flex w-full max-w-3xl flex-col gap-6 overflow-y-auto px-4 py-8">
      <h1 className="text-xl font-semibold">Projects</h1>
      {problem && (
        <p role="alert" className="text-danger">
          {problem}
        </p>
      )}
      {!projects.data && !problem && <p className="text-muted">Loading…</p>}
      {projects.data?.items.length === 0 && <p className="text-muted">There is no project yet.</p>}
      {projects.data?.items.map((project) => (
        <ProjectCard
          key={project.id}
          project={project}
          sessions={
            sessions.data?.items.filter((session) => session.projectId === project.id) ?? []
          }
        />
      ))}
    </main>
  );
}

function ProjectCard({ project, sessions }: { project: Project; sessions: ChatSession[] }) {
  const { request } = useServices();
  const navigate = useNavigate();
  const create = async (): Promise<void> => {
    try {
      const { session } = await request("createSession", { params: { id: project.id }, body: {} });
      await navigate(`/sessions/${session.id}`);
    } catch (error) {
      showToast(sentenceOf(error), { tone: "error" });
    }
  };
  return (
    <section className="card" aria-label={project.name}>
      <div className="flex items-center gap-3 border-b border-line px-4 py-2.5">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{project.name}</h2>
        <Button small tone="primary" onClick={() => void create()}>
          New session
        </Button>
      </div>
      <ul className="divide-y divide-line">
        {sessions.length === 0 && (
          <li className="px-4 py-2.5 text-[13px] text-muted">No session yet.</li>
        )}
        {sessions.map((session) => (
          <li key={session.id}>
            <Link
              to={`/sessions/${session.id}`}
              className="flex items-center gap-3 px-4 py-2 hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate">{session.title}</span>
              <span className="text-xs text-faint">{session.lastTurn?.status}</span>
              <span className="text-xs text-faint">{ago(session.updatedAt)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
