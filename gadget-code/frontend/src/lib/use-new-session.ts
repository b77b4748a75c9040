import type { BodyOf, ProjectId } from "@gadget/api";
import { useCallback } from "react";
import { useNavigate } from "react-router";
import type { Request } from "./api.ts";
import { useServices } from "./services.ts";
import { useAttempt } from "./use-attempt.ts";
import { useInvalidate } from "./use-request.ts";

/** Starts a session in a project and goes there. */
export function useNewSession(): (projectId: ProjectId) => void {
  const { request } = useServices();
  const navigate = useNavigate();
  const invalidate = useInvalidate();
  const { attempt } = useAttempt();
  return useCallback(
    (projectId) => {
      void attempt(async () => {
        const body = await startOf(request, projectId);
        const { session } = await request("createSession", { params: { id: projectId }, body });
        invalidate("listSessions", "listProjectSessions");
        await navigate(`/sessions/${session.id}`);
      });
    },
    [request, navigate, invalidate, attempt],
  );
}

/**
 * The very first session is for trying out the demo's commands, which only print: there nothing
 * asks, so that the first Esc Esc is not two clicks away. The page says so.
 */
async function startOf(request: Request, id: ProjectId): Promise<BodyOf<"createSession">> {
  const params = { id };
  const { project } = await request("getProject", { params });
  if (project.source.kind !== "sample") return {};
  const { items: sessions } = await request("listProjectSessions", { params });
  const { items: providers } = await request("listProviders");
  const demo = providers.find(({ kind }) => kind === "demo");
  if (demo === undefined || sessions.length > 0) return {};
  return { providerId: demo.id, approval: "auto" };
}
