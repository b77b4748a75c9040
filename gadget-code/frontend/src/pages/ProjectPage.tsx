import { type Project, ProjectId } from "@gadget/api";
import { useState } from "react";
import { useNavigate } from "react-router";
import { ChooseDroneDialog } from "../components/drones/ChooseDroneDialog.tsx";
import { useDroneLabel } from "../components/drones/use-drone-label.ts";
import { CloneState } from "../components/projects/CloneState.tsx";
import { ProjectInstructions } from "../components/projects/ProjectInstructions.tsx";
import { ProjectSettings } from "../components/projects/ProjectSettings.tsx";
import { SessionList } from "../components/sessions/SessionList.tsx";
import { SidebarSession } from "../components/sessions/SidebarSession.tsx";
import { useNewSession } from "../components/sessions/use-new-session.ts";
import { PageFrame } from "../components/shell/PageFrame.tsx";
import { Button } from "../components/ui/Button.tsx";
import { ConfirmDialog } from "../components/ui/ConfirmDialog.tsx";
import { Facts } from "../components/ui/Facts.tsx";
import { Loading } from "../components/ui/Loading.tsx";
import { useServices } from "../lib/services.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useParamId } from "../lib/use-param-id.ts";
import { useInvalidate, useRequest } from "../lib/use-request.ts";
import { NotFoundPage } from "./NotFoundPage.tsx";

export function ProjectPage() {
  const id = useParamId(ProjectId);
  return id === undefined ? <NotFoundPage /> : <ProjectOf key={id} id={id} />;
}

function ProjectOf({ id }: { id: ProjectId }) {
  const project = useRequest("getProject", { params: { id } });
  const sessions = useRequest("listProjectSessions", { params: { id } });
  const newSession = useNewSession();
  return (
    <PageFrame
      title={project.data?.project.name ?? "Project"}
      actions={
        <Button tone="primary" onClick={() => newSession(id)}>
          New session
        </Button>
      }
    >
      <Loading of={project}>
        {({ project: shown }) => (
          <>
            <CloneState projectId={id} />
            <ProjectFacts project={shown} />
            <ChooseDrone project={shown} />
            <section className="flex flex-col gap-2">
              <h2 className="text-[13px] font-semibold text-muted">Sessions</h2>
              <Loading of={sessions}>
                {({ items }) =>
                  items.length === 0 ? (
                    <p className="text-muted">No sessions yet.</p>
                  ) : (
                    <SessionList sessions={items} />
                  )
                }
              </Loading>
            </section>
            <ArchivedSessions id={id} />
            {sessions.data?.items[0] && (
              <ProjectInstructions sessionId={sessions.data.items[0].id} />
            )}
            <ProjectSettings project={shown} />
            <RemoveProject project={shown} />
          </>
        )}
      </Loading>
    </PageFrame>
  );
}

/** Put away, not deleted: from its menu each can be restored. */
function ArchivedSessions({ id }: { id: ProjectId }) {
  const archived = useRequest("listProjectSessions", {
    params: { id },
    query: { archived: "true" },
  });
  const items = archived.data?.items ?? [];
  if (items.length === 0) {
    return null;
  }
  return (
    <details className="flex flex-col gap-2">
      <summary className="text-[13px] font-semibold text-muted">
        Archived sessions ({items.length})
      </summary>
      <ul className="card mt-2 p-1">
        {items.map((session) => (
          <SidebarSession key={session.id} session={session} />
        ))}
      </ul>
    </details>
  );
}

function ProjectFacts({ project }: { project: Project }) {
  const drones = useRequest("listDrones", {});
  const droneLabel = useDroneLabel();
  const drone = drones.data?.items.find(({ id }) => id === project.droneId);
  const { source } = project;
  const missing =
    project.lostDrone !== undefined
      ? `${project.lostDrone} was revoked`
      : project.droneId === null
        ? "None yet"
        : drones.data === undefined
          ? ""
          : "Not shared with you any more";
  return (
    <Facts
      facts={[
        ["Workspace", project.directory ?? "A folder of its own on the drone"],
        ["Drone", drone ? droneLabel(drone) : missing],
        ...(source.kind === "git" ? ([["Git address", source.gitUrl]] as [string, string][]) : []),
      ]}
    />
  );
}

function ChooseDrone({ project }: { project: Project }) {
  const [isChoosing, setChoosing] = useState(false);
  return (
    <div>
      <Button small onClick={() => setChoosing(true)}>
        Choose another drone
      </Button>
      {isChoosing && (
        <ChooseDroneDialog
          projectId={project.id}
          droneId={project.droneId}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}

function RemoveProject({ project }: { project: Project }) {
  const { request } = useServices();
  const navigate = useNavigate();
  const invalidate = useInvalidate();
  const { attempt } = useAttempt();
  const [isAsking, setAsking] = useState(false);
  const remove = () =>
    attempt(async () => {
      await request("deleteProject", { params: { id: project.id } });
      invalidate("listProjects", "listSessions");
      await navigate("/");
    });
  return (
    <div>
      <Button onClick={() => setAsking(true)}>Remove project</Button>
      {isAsking && (
        <ConfirmDialog
          title={`Remove ${project.name}?`}
          verb="Remove project"
          onConfirm={() => void remove()}
          onClose={() => setAsking(false)}
        >
          Its sessions are removed with it. Files on the drone stay.
        </ConfirmDialog>
      )}
    </div>
  );
}
