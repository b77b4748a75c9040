import { PanelRight } from "lucide-react";
import { Link } from "react-router";
import { useRequest } from "../lib/use-request.ts";
import { useSession } from "../session/session-context.ts";
import { ContextRing } from "./ContextRing.tsx";
import { DroneDot, droneWord } from "./DroneDot.tsx";
import { SessionCost } from "./SessionCost.tsx";
import { SessionMenu } from "./SessionMenu.tsx";
import { SessionTitle } from "./SessionTitle.tsx";

interface Props {
  isInspectorOpen: boolean;
  onInspector: () => void;
  onFind: () => void;
}

export function SessionHeader({ isInspectorOpen, onInspector, onFind }: Props) {
  const session = useSession((state) => state.session);
  return (
    <header className="flex h-11 shrink-0 items-center gap-3 border-b border-line px-4">
      {session ? (
        <>
          <SessionTitle session={session} />
          <Whereabouts />
          <SessionCost />
          <ContextRing />
          <SessionMenu session={session} onFind={onFind} />
        </>
      ) : (
        <h1 className="flex-1 font-semibold">Session</h1>
      )}
      <button
        type="button"
        aria-label="Inspector"
        aria-pressed={isInspectorOpen}
        title="Inspector (Ctrl J)"
        className="rounded p-1.5 text-muted hover:bg-hover aria-pressed:text-accent"
        onClick={onInspector}
      >
        <PanelRight aria-hidden="true" className="size-4" />
      </button>
    </header>
  );
}

/** The project, and the drone with its state: the second and third link of the chain. */
function Whereabouts() {
  const projectId = useSession((state) => state.session?.projectId);
  const sessionDrone = useSession((state) => state.session?.droneId);
  const projects = useRequest("listProjects", {});
  const drones = useRequest("listDrones", {}, { everyMs: 15_000 });
  const project = projects.data?.items.find(({ id }) => id === projectId);
  const droneId = sessionDrone ?? project?.droneId;
  const drone = drones.data?.items.find(({ id }) => id === droneId);
  return (
    <p className="hidden min-w-0 shrink items-center gap-3 text-xs text-muted md:flex">
      {project && (
        <Link to={`/projects/${project.id}`} className="truncate hover:text-ink hover:underline">
          {project.name}
        </Link>
      )}
      {drone && (
        <Link to={`/drones/${drone.id}`} className="flex items-center gap-1.5 hover:text-ink">
          <DroneDot drone={drone} />
          <span className="truncate">
            {drone.name} <span className="text-faint">{droneWord(drone)}</span>
          </span>
        </Link>
      )}
    </p>
  );
}
