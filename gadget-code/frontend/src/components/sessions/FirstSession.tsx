import type { Project } from "@gadget/api";
import { Link } from "react-router";
import { useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { useNewSession } from "./use-new-session.ts";

/** What a home without sessions says: what this is for, and where to begin. */
export function FirstSession({
  projects,
  onNewProject,
}: {
  projects: readonly Project[];
  onNewProject: () => void;
}) {
  const newSession = useNewSession();
  const providers = useRequest("listProviders", {});
  const hasModel = providers.data?.items.some(({ kind }) => kind !== "demo") ?? true;
  const [project] = projects;
  return (
    <section className="card flex flex-col items-start gap-3 px-5 py-5">
      <h2 className="text-base font-semibold">Start your first session</h2>
      <p className="max-w-prose text-muted">
        Say what to do in a folder of yours. The agent reads, edits and runs commands there while
        you watch, and Esc Esc stops all of it at any moment.
      </p>
      <div className="flex flex-wrap gap-2">
        {project && (
          <Button tone="primary" className="max-w-full" onClick={() => newSession(project.id)}>
            <span title={project.name} className="truncate">
              New session in {project.name}
            </span>
          </Button>
        )}
        <Button onClick={onNewProject}>Open a folder</Button>
      </div>
      {!hasModel && (
        <p className="text-[13px] text-muted">
          Only the scripted demo is set up.{" "}
          <Link to="/settings/providers" className="text-accent underline">
            Add a model
          </Link>{" "}
          for real work.
        </p>
      )}
    </section>
  );
}
