import type { Project, ProjectId } from "@gadget/api";
import { type FormEvent, useEffect, useRef } from "react";
import { useServices } from "../../lib/services.ts";
import { textOf } from "../../lib/text-of.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";

const pollMs = 1_000;

/** How far a git project's clone is, with its Cancel; what went wrong, and the address to mend. */
export function CloneState({ projectId }: { projectId: ProjectId }) {
  const { project } = useRequest("getProject", { params: { id: projectId } }).data ?? {};
  const state = project?.clone?.state;
  const isCloning = state === "cloning";
  useRequest("getProject", { params: { id: projectId } }, { everyMs: pollMs, enabled: isCloning });
  useFreshFiles(isCloning);
  if (project === undefined || state === undefined || state === "cloned") {
    return null;
  }
  return (
    <section
      aria-label="Clone"
      className="card flex flex-col gap-3 px-4 py-3 text-[13px]"
      aria-busy={isCloning}
    >
      {isCloning ? <Cloning project={project} /> : <NotCloned project={project} />}
    </section>
  );
}

/** What was read of the folder before it was there is asked for again. */
function useFreshFiles(isCloning: boolean): void {
  const invalidate = useInvalidate();
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !isCloning) {
      invalidate("readFiles", "getWorkspace", "getWorkspaceDiff");
    }
    was.current = isCloning;
  }, [isCloning, invalidate]);
}

function Cloning({ project }: { project: Project }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { isBusy, attempt } = useAttempt();
  const { progress } = project.clone ?? {};
  const percent = /(\d{1,3})%/.exec(progress ?? "")?.[1];
  return (
    <>
      <div className="flex items-center gap-3">
        <p role="status" className="min-w-0 flex-1 font-medium">
          Cloning the repository
        </p>
        <Button
          small
          disabled={isBusy}
          onClick={() =>
            void attempt(async () => {
              await request("cancelClone", { params: { id: project.id } });
              invalidate("getProject");
            })
          }
        >
          Cancel clone
        </Button>
      </div>
      <progress
        aria-label="Progress of the clone"
        className="clone-progress"
        {...(percent !== undefined && { value: Number(percent), max: 100 })}
      />
      <p title={progress} className="truncate font-mono text-xs text-faint">
        {progress ?? "Asking for it"}
      </p>
    </>
  );
}

function NotCloned({ project }: { project: Project }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const known = project.source.kind === "git" ? project.source.gitUrl : "";
  const why = problem ?? project.clone?.problem;
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const gitUrl = textOf(new FormData(event.currentTarget), "gitUrl");
    void attempt(async () => {
      const body = gitUrl === known ? {} : { gitUrl };
      await request("startClone", { params: { id: project.id }, body });
      invalidate("getProject", "listProjects");
    });
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <p className="font-medium">The repository is not on the drone yet</p>
      {why && (
        <p role="alert" className="break-words text-danger">
          {why}
        </p>
      )}
      <Field label="Git address" name="gitUrl" defaultValue={known} required maxLength={1_000} />
      <div>
        <Button small type="submit" tone="primary" disabled={isBusy}>
          {why === undefined ? "Clone" : "Try again"}
        </Button>
      </div>
    </form>
  );
}
