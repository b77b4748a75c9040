import { Folder, GitBranch } from "lucide-react";
import { Link } from "react-router";
import { useRequest } from "../../lib/use-request.ts";
import { useSession, useSessionFeed } from "../../session/session-context.ts";
import { DroneDot, useDroneWord } from "../drones/DroneDot.tsx";
import { useDroneLabel } from "../drones/use-drone-label.ts";

/** The project, its drone with its state, and the folder there with its branch. */
export function SessionPlace() {
  const droneWord = useDroneWord();
  const droneLabel = useDroneLabel();
  const projectId = useSession((state) => state.session?.projectId);
  const sessionDrone = useSession((state) => state.session?.droneId);
  const projects = useRequest("listProjects", {});
  const drones = useRequest("listDrones", {});
  const project = projects.data?.items.find(({ id }) => id === projectId);
  const droneId = sessionDrone ?? project?.droneId;
  const drone = drones.data?.items.find(({ id }) => id === droneId);
  return (
    <div className="order-last flex min-w-0 shrink basis-full max-md:low:hidden items-center gap-3 pb-1.5 text-xs text-muted md:order-none md:flex-[0_1_auto] md:basis-auto md:pb-0">
      {project && (
        <Link
          to={`/projects/${project.id}`}
          title={project.name}
          className="truncate hover:text-ink hover:underline"
        >
          {project.name}
        </Link>
      )}
      {drone && (
        <Link
          to={`/drones/${drone.id}`}
          title={`${droneLabel(drone)} ${droneWord(drone)}`}
          className="flex min-w-0 items-center gap-1.5 hover:text-ink"
        >
          <DroneDot drone={drone} />
          <span className="truncate">
            {droneLabel(drone)} <span className="text-faint">{droneWord(drone)}</span>
          </span>
        </Link>
      )}
      <WorkspacePlace projectId={projectId} />
    </div>
  );
}

/** Read on the drone: while that is away, what it said last. */
function WorkspacePlace({ projectId }: { projectId: string | undefined }) {
  const { sessionId } = useSessionFeed();
  const { data } = useRequest("getWorkspace", { params: { id: sessionId } });
  if (data === undefined) {
    return null;
  }
  const { directory, branch, commit } = data.workspace;
  const name = directory.split("/").at(-1) ?? "";
  const at = branch ?? commit?.slice(0, 7);
  return (
    <>
      <span title={directory} className="hidden min-w-0 items-center gap-1 xl:flex">
        <Folder aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
        <span className="sr-only">Workspace: </span>
        {/* A folder that the drone made is named for its project. */}
        <span className="truncate">{name === projectId ? "project's own folder" : name}</span>
      </span>
      {at !== undefined && (
        <span
          title={branch === null ? `At the commit ${commit}, on no branch` : `Branch ${branch}`}
          className="flex max-w-56 min-w-0 items-center gap-1"
        >
          <GitBranch aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
          <span className="sr-only">{branch === null ? "Commit: " : "Branch: "}</span>
          <span className="truncate font-mono">{at}</span>
        </span>
      )}
    </>
  );
}
