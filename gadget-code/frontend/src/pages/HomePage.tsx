import type { ChatSession, Project, ProjectId } from "@gadget/api";
import { Folder, Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { useDroneLabel } from "../components/drones/use-drone-label.ts";
import { NewProjectDialog } from "../components/projects/NewProjectDialog.tsx";
import { FirstSession } from "../components/sessions/FirstSession.tsx";
import { SessionList } from "../components/sessions/SessionList.tsx";
import { sectionsOf } from "../components/sessions/session-word.ts";
import { useNewSession } from "../components/sessions/use-new-session.ts";
import { PageFrame } from "../components/shell/PageFrame.tsx";
import { Button } from "../components/ui/Button.tsx";
import { Loading } from "../components/ui/Loading.tsx";
import { useRequest } from "../lib/use-request.ts";

export function HomePage() {
  const projects = useRequest("listProjects", {});
  const sessions = useRequest("listSessions", { query: { limit: 60 } }, { everyMs: 30_000 });
  const [isAdding, setAdding] = useState(false);
  const names = new Map(projects.data?.items.map(({ id, name }) => [id, name]));
  return (
    <PageFrame
      title="Home"
      tabTitle="Gadget Code"
      actions={
        <Button onClick={() => setAdding(true)}>
          <Plus aria-hidden="true" className="size-4" />
          New project
        </Button>
      }
    >
      <DronesNeedYou />
      <Loading of={sessions}>
        {({ items }) =>
          items.length > 0 ? (
            <Sections sessions={items} names={names} />
          ) : (
            <FirstSession
              projects={projects.data?.items ?? []}
              onNewProject={() => setAdding(true)}
            />
          )
        }
      </Loading>
      <section className="flex flex-col gap-2">
        <h2 className="text-[13px] font-semibold text-muted">Projects</h2>
        <Loading of={projects}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="text-muted">No projects yet. A project is a folder on a drone.</p>
            ) : (
              <ul className="grid gap-3 sm:grid-cols-2">
                {items.map((project) => (
                  <ProjectCard key={project.id} project={project} />
                ))}
              </ul>
            )
          }
        </Loading>
      </section>
      {isAdding && <NewProjectDialog onClose={() => setAdding(false)} />}
    </PageFrame>
  );
}

function DronesNeedYou() {
  const drones = useRequest("listDrones", {});
  const droneLabel = useDroneLabel();
  const noted = drones.data?.items.filter(({ notices = [] }) => notices.length > 0) ?? [];
  return noted.map((drone) => (
    <p key={drone.id} role="status" className="rounded-lg bg-orange-soft px-3.5 py-2 text-orange">
      <span className="font-medium">Needs you: </span>
      <Link to={`/drones/${drone.id}`} className="underline">
        there is something to know about the drone {droneLabel(drone)}
      </Link>
    </p>
  ));
}

interface SectionsProps {
  sessions: readonly ChatSession[];
  names: ReadonlyMap<ProjectId, string>;
}

function Sections({ sessions, names }: SectionsProps) {
  const { needsYou, running, recent } = sectionsOf(sessions);
  const sections: [string, ChatSession[]][] = [
    ["Needs you", needsYou],
    ["Running", running],
    ["Recent", recent.slice(0, 12)],
  ];
  return sections
    .filter(([, of]) => of.length > 0)
    .map(([title, of]) => (
      <section key={title} aria-label={title} className="flex flex-col gap-2">
        <h2 className="text-[13px] font-semibold text-muted">{title}</h2>
        <SessionList sessions={of} projectNames={names} />
      </section>
    ));
}

const sources: Record<Project["source"]["kind"], string> = {
  directory: "An existing folder",
  git: "A git clone",
  empty: "An empty folder",
  sample: "For trying things out",
};

function ProjectCard({ project }: { project: Project }) {
  const newSession = useNewSession();
  return (
    <li className="card flex items-center gap-3 px-3.5 py-3">
      <Folder aria-hidden="true" className="size-5 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <Link
          to={`/projects/${project.id}`}
          title={project.name}
          className="block truncate font-medium hover:underline"
        >
          {project.name}
        </Link>
        <p title={project.directory} className="truncate text-xs text-faint">
          {project.directory ?? sources[project.source.kind]}
        </p>
      </div>
      <Button small onClick={() => newSession(project.id)}>
        New session
      </Button>
    </li>
  );
}
